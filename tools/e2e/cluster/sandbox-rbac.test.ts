// The sandbox allows and refuses what the real API server does: drawn roles, bindings, requests and grants.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, connect, type KubeClient } from "@plimsoll/kube";
import { createSandbox } from "@plimsoll/sandbox";
import { type ControlPlane, startControlPlane, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  api,
  binding,
  type Drawn,
  namespaces,
  request,
  resourceRule,
  role,
  users,
} from "./sandbox-rbac-drawn.ts";

const seed = Number(process.env["PROPERTY_SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const folder = fileFolder();
const rbac = `/apis/${api}/v1`;
const stops: (() => Promise<unknown>)[] = [];
let plane: ControlPlane;
let servers: readonly [real: KubeClient, sandbox: KubeClient];

beforeAll(async () => {
  plane = await startControlPlane({
    folder: join(folder, "plane"),
    binaries: inject("binaries"),
    controllerManager: { args: ["--controllers=clusterrole-aggregation-controller"] },
  });
  stops.push(() => plane.stop());
  const sandbox = createSandbox({ workloads: false, rbac: true });
  const { kubeconfig } = await sandbox.start();
  stops.push(() => sandbox.stop());
  const file = join(folder, "sandbox.kubeconfig");
  writeFileSync(file, kubeconfig, { mode: 0o600 });
  const client = await connect({ kubeconfig: file, userAgent: "plimsoll-e2e" });
  stops.push(() => client.close());
  servers = [plane.client, client];
});

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

type Body = Readonly<Record<string, unknown>>;

interface Sent {
  readonly method?: "POST" | "PUT";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly user?: string;
  readonly groups?: string;
}

/** The code, and the response or what is wrong. */
async function sentTo(client: KubeClient, { user, groups, ...request }: Sent) {
  const headers = {
    ...(user === undefined ? {} : { "impersonate-user": user }),
    ...(groups === undefined ? {} : { "impersonate-group": groups }),
  };
  try {
    return { code: 200, message: "", body: await client.request<Body>({ ...request, headers }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message, body: {} };
  }
}

function toBoth(sent: Sent) {
  return Promise.all(servers.map((client) => sentTo(client, sent)));
}

async function createOnBoth(path: string, body: object): Promise<void> {
  const made = await toBoth({ method: "POST", path, body });
  expect(made.map(({ code, message }) => [code, message])).toEqual([
    [200, ""],
    [200, ""],
  ]);
}

let worlds = 0;

/** Roles and bindings with names of their own; a Role may be bound in its namespace only. */
async function createWorld(
  roles: readonly Drawn<typeof role>[],
  bindings: readonly Drawn<typeof binding>[],
): Promise<string> {
  const world = `w${++worlds}`;
  for (const [index, { isOfCluster, namespace, rules, paths: ofPaths }] of roles.entries()) {
    const metadata = { name: `${world}-${index}` };
    if (isOfCluster) await createOnBoth(`${rbac}/clusterroles`, { metadata, rules: [...rules, ...ofPaths] });
    else await createOnBoth(`${rbac}/namespaces/${namespace}/roles`, { metadata, rules });
  }
  for (const [index, { isOfCluster, namespace, role: at, subjects }] of bindings.entries()) {
    const kind = isOfCluster || roles[at]?.isOfCluster !== false ? "ClusterRole" : "Role";
    const place = isOfCluster ? "clusterrolebindings" : `namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: api, kind, name: `${world}-${at}` };
    await createOnBoth(`${rbac}/${place}`, { metadata: { name: `${world}-${index}` }, roleRef, subjects });
  }
  await seenByReal(world);
  return world;
}

/** The real server evaluates what its watches have brought: the newest objects of each kind have to be among them. */
async function seenByReal(world: string): Promise<void> {
  const metadata = { name: `${world}-end` };
  const rules = [{ apiGroups: ["end"], resources: ["ends"], verbs: ["get"] }];
  const subjects = [{ kind: "User", apiGroup: api, name: world }];
  for (const [kind, place] of [
    ["ClusterRole", ""],
    ["Role", "namespaces/shop/"],
  ] as const) {
    const [roles, bindings] =
      kind === "Role" ? ["roles", "rolebindings"] : ["clusterroles", "clusterrolebindings"];
    await createOnBoth(`${rbac}/${place}${roles}`, { metadata, rules });
    const roleRef = { apiGroup: api, kind, name: metadata.name };
    const body = {
      metadata,
      roleRef,
      subjects: subjects.map((item) => ({ ...item, name: `${world}${kind}` })),
    };
    await createOnBoth(`${rbac}/${place}${bindings}`, body);
    const resourceAttributes = { verb: "get", group: "end", resource: "ends", namespace: "shop" };
    const spec = { user: `${world}${kind}`, resourceAttributes };
    await until("the roles", async () => {
      const { body: review } = await sentTo(servers[0], {
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        body: { spec },
      });
      return (review["status"] as { readonly allowed: boolean }).allowed || undefined;
    });
  }
}

async function removeWorld(world: string): Promise<void> {
  const { items } = await plane.client.request<{ items: readonly { metadata: { name: string } }[] }>({
    path: `${rbac}/clusterrolebindings`,
  });
  for (const { metadata } of items.filter((item) => item.metadata.name.startsWith(`${world}-`)))
    for (const client of servers)
      await client.request({ method: "DELETE", path: `${rbac}/clusterrolebindings/${metadata.name}` });
  for (const namespace of namespaces) {
    const path = `${rbac}/namespaces/${namespace}/rolebindings`;
    for (const client of servers) await client.request({ method: "DELETE", path });
  }
}

test("namespaces", async () => {
  for (const name of namespaces)
    for (const client of servers)
      await sentTo(client, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  for (const namespace of namespaces)
    for (const { code } of await toBoth({ path: `/api/v1/namespaces/${namespace}` })) expect(code).toBe(200);
});

test("drawn reviews and requests are decided alike, with the same words of refusal", async () => {
  const drawn = fc.record({
    roles: fc.array(role, { minLength: 6, maxLength: 8 }),
    bindings: fc.array(binding, { minLength: 5, maxLength: 8 }),
    requests: fc.array(request, { minLength: 60, maxLength: 60 }),
  });
  const seen = { allowed: 0, refused: 0, withReason: 0 };
  for (const { roles, bindings, requests } of fc.sample(drawn, { seed, numRuns: 6 })) {
    const world = await createWorld(roles, bindings);
    for (const [attributes, subjects] of requests) {
      const spec = { ...attributes, ...subjects };
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      const [real, own] = (await toBoth({ method: "POST", path, body: { spec } })).map(
        ({ body }) => body["status"] as { readonly allowed: boolean; readonly reason?: string },
      );
      const decided = (status: typeof real) => ({
        allowed: status?.allowed,
        // Which of several bindings allows is chance.
        reason: wordsOf(status?.reason?.replace(/ allowed by .*$/, " allowed")),
      });
      expect({ seed, spec, ...decided(own) }).toEqual({ seed, spec, ...decided(real) });
      seen[real?.allowed === true ? "allowed" : "refused"] += 1;
      if (real?.allowed !== true && (real?.reason ?? "") !== "") seen.withReason += 1;
    }
    for (const user of users)
      for (const sent of reads) {
        const results = await toBoth({ ...sent, user });
        const [real, own] = results.map(({ code, message }) =>
          code === 403 ? wordsOf(message) : "not refused",
        );
        expect({ seed, user, sent, is: own }).toEqual({ seed, user, sent, is: real });
      }
    await removeWorld(world);
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

/** The real server lists roles that are not there in any order. */
function wordsOf(reason = ""): readonly string[] {
  return reason
    .replaceAll(/[[\]]/g, "")
    .split(/, |(?<=RBAC: )/)
    .toSorted();
}

const reads: readonly Sent[] = [
  { path: "/api/v1/namespaces/shop/configmaps" },
  { path: "/api/v1/namespaces/shop/configmaps/web" },
  { path: "/api/v1/namespaces/shop/configmaps", query: { fieldSelector: "metadata.name=web" } },
  { path: "/apis/apps/v1/deployments" },
  { path: "/apis/apps/v1/namespaces/shop/deployments/web/scale" },
  { path: "/api/v1/namespaces/shop" },
  { path: "/api/v1/namespaces" },
  { path: `${rbac}/clusterroles/view` },
  { path: "/version" },
];

test("drawn grants are refused alike, with the same missing rights", async () => {
  const writer = { verbs: ["create"], apiGroups: [api], resources: ["*"], resourceNames: [] };
  const drawn = fc.record({
    held: fc.array(resourceRule, { minLength: 1, maxLength: 3 }),
    wanted: fc.array(
      fc.record({ rules: fc.array(resourceRule, { minLength: 1, maxLength: 2 }), binds: fc.boolean() }),
      { minLength: 12, maxLength: 12 },
    ),
  });
  const codes = new Set<number>();
  for (const { held, wanted } of fc.sample(drawn, { seed, numRuns: 4 })) {
    const all = { isOfCluster: true, namespace: "shop" as const, paths: [] };
    const roles = [{ ...all, rules: [...held, writer] }, ...wanted.map(({ rules }) => ({ ...all, rules }))];
    const subjects = [{ kind: "User", apiGroup: api, name: "alice" }];
    const world = await createWorld(roles, [{ isOfCluster: false, namespace: "shop", role: 0, subjects }]);
    for (const [index, { rules, binds }] of wanted.entries()) {
      const metadata = { name: `${world}-grant-${index}` };
      const roleRef = { apiGroup: api, kind: "ClusterRole", name: `${world}-${index + 1}` };
      const place = `${rbac}/namespaces/shop/`;
      const sent: Sent = binds
        ? { path: `${place}rolebindings`, body: { metadata, roleRef, subjects } }
        : { path: `${place}roles`, body: { metadata, rules } };
      const results = await toBoth({ ...sent, method: "POST", user: "alice" });
      const [real, own] = results.map(({ code, message }) => ({ code, message }));
      expect({ seed, held, sent, ...own }).toEqual({ seed, held, sent, ...real });
      codes.add(real?.code ?? 0);
    }
    await removeWorld(world);
  }
  expect(codes).toEqual(new Set([200, 403]));
});

test("impersonation, aggregation, and the rules of a user are alike", async () => {
  const labels = { "e2e/part": "true" };
  const rules = [{ verbs: ["list"], apiGroups: [""], resources: ["secrets"] }];
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
  const subjects = [{ kind: "User", apiGroup: api, name: "carol" }];
  await createOnBoth(`${rbac}/clusterroles`, { metadata: { name: "whole" }, aggregationRule });
  await createOnBoth(`${rbac}/clusterroles`, { metadata: { name: "part", labels }, rules });
  const roleRef = { apiGroup: api, kind: "ClusterRole", name: "whole" };
  await createOnBoth(`${rbac}/namespaces/shop/rolebindings`, {
    metadata: { name: "carol" },
    roleRef,
    subjects,
  });
  const path = "/api/v1/namespaces/shop/secrets";
  await until("the rules of the parts", async () => {
    const results = await toBoth({ path, user: "carol" });
    return results.every(({ code }) => code === 200) || undefined;
  });
  const listed = await toBoth({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    body: { spec: { namespace: "shop" } },
    user: "carol",
  });
  const [real, own] = listed.map(({ body }) => {
    const { resourceRules } = body["status"] as { readonly resourceRules: readonly object[] };
    return resourceRules.map((rule) => JSON.stringify(rule, Object.keys(rule).toSorted())).toSorted();
  });
  expect(own).toEqual(real);
  const named = await toBoth({ path, user: "system:serviceaccount:shop:dev" });
  expect(named[1]?.message).toBe(named[0]?.message);
});
