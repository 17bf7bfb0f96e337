import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeObject, ResourceInfo } from "@plimsoll/kube";
import { type InProcessResponse, inProcessClient } from "@plimsoll/kube/testing";
import { networks } from "@plimsoll/live";
import type { LivePods } from "@plimsoll/metric-rules";
import { expect, test } from "vitest";
import { createFindPods, type LiveRule, type WantedPods } from "../../../src/backends/live/find-pods.ts";
import { type ObservedObject, projectObject } from "../../../src/objects/observed-object.ts";

const info = (resource: string, kind: string, group = ""): ResourceInfo & { singular: string } => ({
  group,
  version: "v1",
  resource,
  singular: resource.slice(0, -1),
  kind,
  namespaced: true,
  verbs: [],
  hasScale: true,
  shortNames: [],
});

const pod = (name: string, { ip = "10.244.0.1", phase = "Running", ...spec }: Record<string, unknown> = {}) =>
  projectObject({
    metadata: { name, namespace: "shop", uid: `uid-${name}`, labels: { app: "web" } },
    spec: { containers: [{ name: "main", ports: [{ name: "metrics", containerPort: 8080 }] }], ...spec },
    status: { phase, podIP: ip },
  } as KubeObject);

function rig(pods: readonly ObservedObject[], scale: InProcessResponse) {
  const clock = manualClock(0);
  const asked: string[] = [];
  const selectors: string[] = [];
  const files = new Map<string, string>();
  const find = createFindPods({
    clock,
    client: inProcessClient({
      clock,
      respond({ path }) {
        asked.push(path);
        return Promise.resolve(scale);
      },
    }),
    mapper: { byResource: () => info("pods", "Pod") },
    byKind: (group, kind) => Promise.resolve(kind === "Deployment" ? [info("deployments", kind, group)] : []),
    objects: {
      select({ selector, namespace }) {
        selectors.push(
          `${namespace}: ${selector.requirements.map(({ key, values }) => `${key}=${String(values)}`).join()}`,
        );
        return {
          ok: true,
          value: {
            objects: pods.filter(({ metadata }) => selector.matches(metadata.labels ?? {})),
            isUnchanged: () => true,
          },
        };
      },
    },
    addresses: { allowsNodes: false, allowed: networks(["10.244.0.0/16"]) },
    async readText(file) {
      const text = files.get(file);
      if (text === undefined) throw Object.assign(new Error(`no such file ${file}`), { code: "ENOENT" });
      return text;
    },
  });
  const ruleOf = (from: LivePods) =>
    ({
      namespace: "shop",
      live: { port: "metrics", path: "/metrics", scheme: "http", interval: "1s", pods: from },
    }) as LiveRule;
  return {
    clock,
    asked,
    selectors,
    files,
    find: (from: LivePods, access?: WantedPods["access"]) => find({ ...ruleOf(from), access }),
  };
}

const bySelector: LivePods = { type: "selector", selector: { matchLabels: { app: "web" } } };
const byTarget = (kind = "Deployment"): LivePods => ({
  type: "target",
  target: { group: "apps", kind, name: "web" },
});
const scale = (selector: string): InProcessResponse => ({ code: 200, body: { status: { selector } } });

test("running pods are targets, and those that cannot be scraped are said", async () => {
  const { find, selectors } = rig(
    [
      pod("a"),
      pod("done", { phase: "Succeeded" }),
      pod("new", { phase: "Pending", ip: undefined }),
      pod("node", { hostNetwork: true }),
      pod("far", { ip: "192.0.2.1" }),
      pod("bare", { containers: [{ name: "main" }] }),
    ],
    scale(""),
  );
  expect(await find(bySelector)()).toMatchObject({
    ok: true,
    targets: [{ key: "uid-a:8080", origin: "http://10.244.0.1:8080" }],
    refused: [
      { pod: "node", reason: expect.stringContaining("--live-host-network") as string },
      { pod: "far", reason: expect.stringContaining("--live-pod-cidrs") as string },
      { pod: "bare", reason: expect.stringContaining("declares no container port metrics") as string },
    ],
  });
  expect(selectors).toEqual(["shop: app=web"]);
});

test("the pods of a target are those of its scale, which is read now and then", async () => {
  const { find, asked, clock } = rig([pod("a")], scale("app=web"));
  const again = find(byTarget());
  expect(await again()).toMatchObject({ ok: true, targets: [{ pod: "a" }] });
  await again();
  expect(asked).toEqual(["/apis/apps/v1/namespaces/shop/deployments/web/scale"]);
  await clock.advance(31_000);
  await again();
  await clock.advance(0);
  expect(asked).toHaveLength(2);
});

test("the selector of a target is used while the API server is away, for ten minutes, and not when the target is gone", async () => {
  const answer = { ...scale("app=web") };
  const { find, clock } = rig([pod("a")], answer);
  const again = find(byTarget());
  await again();
  Object.assign(answer, { code: 503, body: "away" });
  for (let minute = 0; minute < 9; minute += 1) {
    await clock.advance(60_000);
    expect(await again()).toMatchObject({ ok: true, targets: [{ pod: "a" }] });
  }
  await clock.advance(61_000);
  expect(await again()).toMatchObject({ ok: false });
  Object.assign(answer, scale("app=web"));
  await again();
  Object.assign(answer, { code: 404, body: { kind: "Status", code: 404, reason: "NotFound" } });
  await clock.advance(31_000);
  await again();
  await clock.advance(0);
  expect(await again()).toMatchObject({ ok: false });
});

test.each<readonly [LivePods, InProcessResponse, string]>([
  [
    byTarget("Robot"),
    scale("app=web"),
    'cannot find the pods: the cluster has no kind Robot in the group "apps"',
  ],
  [byTarget(), scale(""), "the scale of the Deployment web has no selector: set live.podSelector"],
  [byTarget(), { code: 403, body: "forbidden" }, "cannot find the pods: "],
])("%j with %j says why", async (pods, answer, message) => {
  expect(await rig([pod("a")], answer).find(pods)()).toEqual({
    ok: false,
    message: expect.stringContaining(message) as string,
  });
});

test("the token of the administrator is read for each round", async () => {
  const { find, files } = rig([pod("a")], scale(""));
  const read = find(bySelector, { tokenFile: "/token", insecureSkipVerify: true });
  expect(await read()).toEqual({ ok: false, message: "cannot read live.tokenFile: ENOENT" });
  for (const token of ["first", "second"]) {
    files.set("/token", `${token}\n`);
    const access = { authorization: `Bearer ${token}`, insecureSkipVerify: true };
    expect(await read()).toMatchObject({ ok: true, targets: [{ access }] });
  }
});
