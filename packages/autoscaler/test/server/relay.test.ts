import { X509Certificate } from "node:crypto";
import { createServer, request, type Server } from "node:https";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { expect, onTestFinished, test } from "vitest";
import type { AutoscalerConfig } from "../../src/index.ts";
import type { SummaryPage } from "../../src/server/summary-query.ts";
import type { FakeApi } from "../fake-api.ts";
import { eventually, hpa, type Rig, rig, wanting, within, workload } from "../harness.ts";
import { type Answer, type Attributes, get, reviews, secure, serving } from "./https-callers.ts";

const leases = {
  leaseDurationMs: 2000,
  renewDeadlineMs: 1200,
  retryPeriodMs: 200,
  resourceName: "autoscaler",
  resourceNamespace: "default",
};
const names = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"];
const four = wanting(() => 4);
const summary = "/apis/decisions/v1/summary";
const account = "system:serviceaccount:plimsoll:autoscaler";

interface Given {
  readonly clock: ManualClock;
  readonly mode: "leader" | "shards";
  readonly may?: (user: string, what: Attributes) => boolean;
}

function configOf(mode: Given["mode"], isRelay = true): Partial<AutoscalerConfig> {
  const shared = isRelay ? { advertiseAddress: "127.0.0.1", relayTokenFile: "/relay/token" } : {};
  return {
    coordination: mode === "leader" ? { mode, ...leases } : { mode, shards: 4, ...leases },
    serving: { ...serving, secure: { ...secure, ...shared } },
    syncPeriodMs: 1000,
  };
}

function processOf(identity: string, { clock, mode, may = () => true }: Given, api?: FakeApi): Promise<Rig> {
  return rig({
    clock,
    decide: four,
    identity,
    hostname: `pod-${identity}`,
    readText: () => Promise.resolve(`relay-of-${account}\n`),
    config: configOf(mode),
    before: (own) => {
      if (api !== undefined) return;
      for (const name of names) workload(own, name);
      reviews(own, may);
      pods(own, ["127.0.0.1"]);
    },
    ...(api === undefined ? {} : { api }),
  });
}

/** Pods of the account that run, by address. */
function pods(api: FakeApi, addresses: readonly string[]): void {
  const selectors = addresses.map(
    (address) => `status.podIP=${address},spec.serviceAccountName=autoscaler,status.phase=Running`,
  );
  api.script(
    "GET",
    /\/namespaces\/plimsoll\/pods$/,
    ({ query }) => {
      const isFound = selectors.includes(query.get("fieldSelector") ?? "");
      return { code: 200, body: { kind: "PodList", metadata: {}, items: isFound ? [{ metadata: {} }] : [] } };
    },
    1000,
  );
}

/** Two processes, of which the first holds the lease, or each some of the shards. */
async function two(options: Omit<Given, "clock">): Promise<{ clock: ManualClock; first: Rig; second: Rig }> {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const first = await processOf("first", { clock, ...options });
  await within(clock, 20_000, () => expect(first.autoscaler.decisions.latest()).toHaveLength(names.length));
  const second = await processOf("second", { clock, ...options }, first.api);
  const isDivided = () => {
    const counts = [first, second].map(({ autoscaler }) => autoscaler.decisions.latest().length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(names.length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(options.mode === "shards" ? 1 : 0);
    const lease = first.api.list("leases").find(({ metadata }) => metadata["annotations"] !== undefined);
    expect(lease).toBeDefined();
  };
  await within(clock, 60_000, isDivided);
  // Each has seen what the other announced.
  await clock.advance(2000);
  return { clock, first, second };
}

function page({ body }: Answer): SummaryPage {
  return JSON.parse(body) as SummaryPage;
}

test("the lease says where its holder serves, and by which certificate it is known", async () => {
  const { first } = await two({ mode: "leader" });
  const { fingerprint } = await get(first.securePort, "/livez");
  const lease = first.api.get("leases", "default", "autoscaler");
  const text = (lease.metadata["annotations"] as Record<string, string>)["autoscaling.plimsoll.dev/serving"];
  expect(JSON.parse(text ?? "")).toEqual({
    pod: "pod-first",
    address: `127.0.0.1:${first.securePort}`,
    sha256: fingerprint.replaceAll(":", "").toLowerCase(),
  });
});

test("a process without the lease relays to the holder what the caller may read, and nothing else", async () => {
  const { first, second } = await two({
    mode: "leader",
    may: (user, { verb, resource }) =>
      user === "ann" && resource === "horizontalpodautoscalers" && (verb === "get" || verb === "list"),
  });
  const direct = await get(first.securePort, summary, "ann");
  const relayed = await get(second.securePort, summary, "ann");
  expect([relayed.code, page(relayed).items.length]).toEqual([200, names.length]);
  expect(page(relayed)).toEqual({ ...page(direct), lastEventId: expect.any(String) });
  const object = "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/a1";
  for (const path of [
    object,
    `${object}/record`,
    `${object}?format=text`,
    "/apis/decisions/v1",
    "/apis/shadow/v1",
  ]) {
    const [own, passed] = [
      await get(first.securePort, path, "ann"),
      await get(second.securePort, path, "ann"),
    ];
    expect([path, passed.code, passed.body]).toEqual([path, 200, own.body]);
    expect((await get(second.securePort, path, "mallory")).code).toBe(403);
    expect((await get(second.securePort, path)).code).toBe(401);
  }
  const missing = await get(second.securePort, `${object}-not`, "ann");
  expect([missing.code, JSON.parse(missing.body)]).toMatchObject([404, { reason: "NotFound" }]);
  // The caller's token stays here.
  const tokens = first.api.requests.flatMap(({ path, body }) =>
    path.endsWith("/tokenreviews") ? [(body as { spec: { token: string; audiences?: string[] } }).spec] : [],
  );
  expect(
    tokens
      .filter(({ token }) => token.startsWith("relay-"))
      .every(({ audiences }) => audiences?.length === 1),
  ).toBe(true);
});

test("only a process of the same service account may relay", async () => {
  const { first } = await two({ mode: "leader", may: () => false });
  const as = (authorization: string) =>
    get(first.securePort, summary, undefined, { headers: { authorization, "x-plimsoll-relay": "1" } });
  expect((await as("Bearer token-of-ann")).code).toBe(401);
  expect((await as("Bearer relay-of-system:serviceaccount:default:other")).code).toBe(401);
  expect((await as("")).code).toBe(401);
  const headers = { authorization: `Bearer relay-of-${account}`, "x-plimsoll-relay": "1" };
  // It names what its caller may list; nothing is nothing.
  const none = await get(first.securePort, summary, undefined, { headers });
  expect([none.code, page(none).total]).toEqual([200, 0]);
  const metrics = await get(first.securePort, "/metrics", undefined, { headers });
  expect(metrics.code).toBe(404);
  const without = await get(first.securePort, summary, undefined, {
    headers: { authorization: `Bearer relay-of-${account}` },
  });
  expect(without.code).toBe(401);
});

test("the port without authentication takes no relay, and asks nothing of the API server about its token", async () => {
  const { first } = await two({ mode: "leader" });
  const reviewed = first.api.requests.filter(({ path }) => path.endsWith("/tokenreviews")).length;
  for (const token of [`relay-of-${account}`, "junk"]) {
    const headers = { authorization: `Bearer ${token}`, "x-plimsoll-relay": "1" };
    const { status } = await fetch(`${first.url}${summary}`, { headers });
    expect([token, status]).toEqual([token, 401]);
  }
  expect(first.api.requests.filter(({ path }) => path.endsWith("/tokenreviews"))).toHaveLength(reviewed);
});

test("one hop: a process that is taken for the holder and is not says so", async () => {
  const { second } = await two({ mode: "leader" });
  const headers = { authorization: `Bearer relay-of-${account}`, "x-plimsoll-relay": "1" };
  const { code, body } = await get(second.securePort, summary, undefined, { headers });
  expect([code, JSON.parse(body)]).toMatchObject([
    503,
    { message: "this process does not hold the lease any more; send it again" },
  ]);
});

test("with shards the parts of all processes are one list, in its order and its pages", async () => {
  const { first, second } = await two({ mode: "shards" });
  for (const { securePort } of [first, second]) {
    const seen: string[] = [];
    let token: string | undefined = "";
    for (let pages = 0; token !== undefined && pages < 10; pages++) {
      const one: SummaryPage = page(await get(securePort, `${summary}?limit=3&continue=${token}`, "ann"));
      expect([one.total, Object.values(one.counts).reduce((sum, count) => sum + count, 0)]).toEqual([8, 8]);
      seen.push(...one.items.map(({ name }) => name));
      token = one.continue;
    }
    expect(seen).toEqual(names);
    for (const name of names) {
      const path = `/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/${name}`;
      expect([name, (await get(securePort, path, "ann")).code]).toEqual([name, 200]);
      expect((await get(securePort, `${path}-not`, "ann")).code).toBe(404);
    }
    const all = JSON.parse((await get(securePort, "/apis/decisions/v1", "ann")).body) as { items: unknown[] };
    expect(all.items).toHaveLength(names.length);
  }
});

/** What the lease says of its holder, as another process wrote it. */
function announce(api: FakeApi, serving: object): void {
  const lease = api.get("leases", "default", "autoscaler");
  api.put("leases", {
    ...lease,
    metadata: {
      ...lease.metadata,
      annotations: { "autoscaling.plimsoll.dev/serving": JSON.stringify(serving) },
    },
    spec: { ...(lease.spec as object), holderIdentity: "another", renewTime: "2030-01-01T00:10:00.000000Z" },
  });
}

async function listening(server: Server, address = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

test("a holder with another certificate, and one that is away, is a 503 that names it; nothing is sent", async () => {
  const { certPem, keyPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  let requests = 0;
  const impostor = createServer({ cert: certPem, key: keyPem }, (_, response) => {
    requests++;
    response.end("{}");
  });
  const port = await listening(impostor);
  const { clock, first, second } = await two({ mode: "leader" });
  await first.autoscaler.stop();
  const sha256 = "0".repeat(64);
  announce(first.api, { pod: "pod-other", address: `127.0.0.1:${port}`, sha256 });
  await clock.advance(400);
  const pinned = await get(second.securePort, summary, "ann");
  expect([pinned.code, JSON.parse(pinned.body)]).toMatchObject([
    503,
    {
      message: `pod-other at 127.0.0.1:${port}, which decides, cannot be reached: its certificate is not the one in the lease; nothing was sent`,
    },
  ]);
  expect(requests).toBe(0);
  announce(first.api, { pod: "pod-gone", address: "127.0.0.1:1", sha256 });
  await clock.advance(400);
  await eventually(async () => {
    const away = await get(second.securePort, summary, "ann");
    expect([away.code, away.body]).toEqual([503, expect.stringContaining("pod-gone at 127.0.0.1:1")]);
  });
});

test("a lease that names a server which is no pod of the deployment gets no token, whatever its certificate", async () => {
  const { certPem, keyPem } = await generateServingCertificate(["127.0.0.2"], Date.now());
  let connections = 0;
  const harvester = createServer({ cert: certPem, key: keyPem }, (_, response) => void response.end("{}"));
  harvester.on("connection", () => connections++);
  const port = await listening(harvester, "127.0.0.2");
  const { clock, first, second } = await two({ mode: "leader" });
  await first.autoscaler.stop();
  const sha256 = new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
  announce(first.api, { pod: "pod-first", address: `127.0.0.2:${port}`, sha256 });
  await clock.advance(400);
  const { code, body } = await get(second.securePort, summary, "ann");
  expect([code, JSON.parse(body)]).toMatchObject([
    503,
    {
      message: `pod-first at 127.0.0.2:${port}, which decides, cannot be reached: no pod of system:serviceaccount:plimsoll:autoscaler that runs has this address; nothing was sent`,
    },
  ]);
  expect(connections).toBe(0);
  announce(first.api, { pod: "pod-first", address: `localhost:${port}`, sha256 });
  await clock.advance(400);
  await eventually(async () => {
    const named = await get(second.securePort, summary, "ann");
    expect([named.code, named.body]).toEqual([503, expect.stringContaining("announces no address")]);
  });
});

test("without a holder it is a 503 that names the lease", async () => {
  const { clock, first, second } = await two({ mode: "leader" });
  const broken = { code: 503, body: {} };
  first.api.script("PUT", /\/leases/, ({ agent }) => (agent === "second" ? broken : undefined), 1000);
  await first.autoscaler.stop();
  await clock.advance(600);
  await eventually(async () => {
    const { code, body } = await get(second.securePort, summary, "ann");
    expect([code, body]).toEqual([
      503,
      expect.stringContaining("no process holds the lease default/autoscaler"),
    ]);
  });
});

interface OpenStream {
  readonly text: () => string;
  readonly isEnded: () => boolean;
}

function stream(port: number, user: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer token-of-${user}` };
    const path = "/apis/decisions/v1/stream";
    const opened = request(
      { host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false },
      (response) => {
        let text = "";
        let isEnded = false;
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("error", () => (isEnded = true));
        response.on("close", () => (isEnded = true));
        resolve({ text: () => text, isEnded: () => isEnded });
      },
    );
    opened.on("error", reject);
    opened.end();
    onTestFinished(() => void opened.destroy());
  });
}

test("a relayed stream has the holder's events, and ends when the caller may not read any more", async () => {
  let isAllowed = true;
  const { clock, first, second } = await two({ mode: "leader", may: () => isAllowed });
  const one = await stream(second.securePort, "ann");
  await eventually(() => expect(one.text()).toContain("event: reset"));
  first.api.put("horizontalpodautoscalers", hpa("late", { target: "a1" }));
  await within(clock, 10_000, () => expect(one.text()).toContain('"name":"late"'));
  expect(one.text()).toMatch(/^id: /m);
  isAllowed = false;
  await within(clock, 90_000, () => expect(one.isEnded()).toBe(true));
});

test("with shards a stream has the events of all processes, and ends with any of them", async () => {
  const { clock, first, second } = await two({ mode: "shards" });
  const one = await stream(second.securePort, "ann");
  await eventually(() => expect(one.text().match(/event: reset/g)).toHaveLength(2));
  for (const name of names)
    first.api.put("horizontalpodautoscalers", hpa(name, { spec: { maxReplicas: 9 } }));
  await within(clock, 10_000, () => {
    for (const name of names) expect(one.text()).toContain(`"name":"${name}"`);
  });
  await first.autoscaler.stop();
  await within(clock, 10_000, () => expect(one.isEnded()).toBe(true));
});
