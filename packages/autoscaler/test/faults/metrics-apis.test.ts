import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { systemClock } from "@plimsoll/component-base";
import { expect, onTestFinished, test } from "vitest";
import { type FakeApi, failure, type Reply } from "../fake-api.ts";
import { eventually, rig } from "../harness.ts";
import { type MetricKind, metricKinds, podsOfEach, putKinds, replicasOf } from "./metric-kinds.ts";

/** Long enough for a healthy answer on a busy machine. */
const longTimeoutMs = 10_000;
const hastyMs = 1000;
const mebibyte = 1024 * 1024;

const json = (body: unknown): Reply => ({ code: 200, body });
const raw = (send: (response: ServerResponse) => void): Reply => ({ code: 0, body: undefined, send });
const unreachable = (why: string) =>
  failure(503, "ServiceUnavailable", `error trying to reach service: dial tcp 10.0.0.1:443: ${why}`);

interface Fault {
  readonly name: string;
  readonly reply: (kind: MetricKind) => Reply;
  readonly says: RegExp;
  readonly requestTimeoutMs?: number;
}

const half = (kind: MetricKind) => JSON.stringify(kind.body("1")).slice(0, 60);

/** Rows 1 to 9 of the list of faults, as they show behind the API server's proxy. */
const transport: readonly Fault[] = [
  {
    name: "the metrics API refuses connections",
    reply: () => unreachable("connect: connection refused"),
    says: /connection refused/,
  },
  {
    name: "packets to the metrics API are swallowed",
    reply: () => failure(504, "Timeout", "context deadline exceeded"),
    says: /deadline exceeded/,
  },
  {
    name: "the connection is cut before an answer",
    reply: () => raw((r) => r.destroy()),
    says: /socket|closed|reset/,
  },
  {
    name: "no answer ever comes",
    reply: () => raw(() => {}),
    says: /no answer within 1000 ms/,
    requestTimeoutMs: hastyMs,
  },
  {
    name: "the answer trickles",
    reply: (kind) => raw((response) => trickle(response, JSON.stringify(kind.body("1")))),
    says: /no answer within 1000 ms/,
    requestTimeoutMs: hastyMs,
  },
  {
    name: "the body is shorter than it was to be",
    reply: (kind) =>
      raw((response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100000" });
        response.write(half(kind), () => response.destroy());
      }),
    says: /socket|closed|reset|aborted/,
  },
  {
    name: "the body is cut in its middle",
    reply: (kind) =>
      raw((response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write(half(kind), () => response.destroy());
      }),
    says: /socket|closed|reset|aborted|terminated/,
  },
  { name: "half of the JSON comes", reply: (kind) => ({ code: 200, body: half(kind) }), says: /is not JSON/ },
  {
    name: "HTML comes",
    reply: () => ({ code: 200, body: "<html>sign in</html>" }),
    says: /is not JSON: <html>/,
  },
  { name: "nothing comes", reply: () => ({ code: 200, body: "" }), says: /not a list/ },
  {
    name: "a redirect comes",
    reply: () => ({ code: 302, body: "", headers: { location: "/" } }),
    says: /redirect/,
  },
  { name: "an object comes in place of a list", reply: () => json({ kind: "Pod" }), says: /not a list/ },
  {
    name: "a list of something else comes",
    reply: otherList,
    says: /no metrics|not a quantity|results|did not receive/,
  },
  ...([400, 422, 429, 500, 503] as const).map((code) => ({
    name: `HTTP ${code}`,
    reply: () => ({ ...failure(code, "", `answer ${code}`), headers: { "retry-after": "3600" } }),
    says: new RegExp(`answer ${code}`),
  })),
  {
    name: "a compressed bomb comes",
    reply: () =>
      raw((response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        response.end(bomb);
      }),
    says: /is not JSON/,
  },
];

/** Row 10: what is not a number that can be. */
const values: readonly Fault[] = ["NaN", "+Inf", "-Inf", "", "1 000", null, {}, `1${"0".repeat(1000)}`].map(
  (value) => ({
    name: `the value ${JSON.stringify(value).slice(0, 12)} comes`,
    reply: (kind) => json(kind.body(value)),
    says: /no metrics|not a quantity|did not receive/,
  }),
);

const bomb = gzipSync(Buffer.alloc(64 * mebibyte, " "));

function otherList(): Reply {
  const items = Array.from({ length: 2 }, (_, n) => ({ metadata: { name: `node-${n}` }, spec: {} }));
  return json({ kind: "NodeList", items });
}

function trickle(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json" });
  let at = 0;
  const timer = setInterval(() => {
    response.write(text[at]);
    at += 1;
  }, 50);
  response.on("close", () => clearInterval(timer));
}

/** From now on every kind is answered like this, until the returned function is called. */
function breakAll(api: FakeApi, reply: Fault["reply"]): () => void {
  let isBroken = true;
  for (const kind of metricKinds) {
    const path = new RegExp(`^${kind.path.replaceAll("*", "\\*")}$`);
    api.script("GET", path, () => (isBroken ? reply(kind) : undefined), Number.POSITIVE_INFINITY);
  }
  return () => {
    isBroken = false;
  };
}

function conditionOf(api: FakeApi, name: string, type: string): unknown {
  const { status } = api.get("horizontalpodautoscalers", "default", name);
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { readonly type: string }[] };
  return conditions.find((condition) => condition.type === type);
}

const perPod = metricKinds.filter(({ name }) => name === "resource" || name === "pods");
const counts = (api: FakeApi) => metricKinds.map(({ name }) => replicasOf(api, name));

test.each([...transport, ...values])(
  "$name: no count falls, conditions say why, others are scaled, and all goes on afterwards",
  async (fault) => {
    const { reply, says, requestTimeoutMs = longTimeoutMs } = fault;
    let repair = (): void => {};
    let aheadMs = 0;
    const { api, autoscaler } = await rig({
      isOverHttp: transport.includes(fault),
      clock: {
        ...systemClock,
        nowMs: () => Date.now() + aheadMs,
        steadyMs: () => performance.now() + aheadMs,
      },
      config: { requestTimeoutMs },
      before(api) {
        putKinds(api);
        for (const kind of metricKinds) api.metrics.set(kind.path, kind.body("1"));
        repair = breakAll(api, reply);
      },
    });
    await autoscaler.sync();
    expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach));
    for (const { name, reason } of metricKinds) {
      expect([name, conditionOf(api, name, "ScalingActive")]).toEqual([
        name,
        expect.objectContaining({ status: "False", reason, message: expect.stringMatching(says) }),
      ]);
    }
    expect(replicasOf(api, "other")).toBe(9);
    repair();
    // The usage of a namespace is shared for a moment, and what is kept of scales for longer.
    aheadMs = 60_000;
    await eventually(async () => {
      await autoscaler.sync();
      expect(counts(api)).toEqual(metricKinds.map(() => 1));
    });
  },
);

/** Sends without end. */
function endless(head: string, filler: Buffer): Reply {
  return raw((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(head);
    const more = (): void => {
      while (!response.destroyed) if (!response.write(filler)) break;
    };
    response.on("drain", more);
    more();
  });
}

/** The connections that this process opens from now on. */
function connections(): readonly Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket);
  subscribe("undici:client:connected", note);
  onTestFinished(() => {
    unsubscribe("undici:client:connected", note);
  });
  return sockets;
}

test("an answer without end is dropped at the limit for a metrics answer, and the connection with it", async () => {
  const opened = connections();
  const { api, autoscaler } = await rig({
    isOverHttp: true,
    config: { requestTimeoutMs: longTimeoutMs },
    before(api) {
      putKinds(api);
      breakAll(api, () => endless('{"items":[', Buffer.alloc(mebibyte, " ")));
    },
  });
  await autoscaler.sync();
  expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach));
  for (const { name } of metricKinds) {
    expect(conditionOf(api, name, "ScalingActive")).toMatchObject({
      status: "False",
      message: expect.stringMatching(/longer than 16777216 bytes|the largest of too many large answers/),
    });
  }
  // What was read, whatever the other side has sent into the buffers between the two.
  const dropped = opened.filter(({ bytesRead }) => bytesRead > mebibyte);
  expect(dropped.length).toBeGreaterThan(0);
  expect(Math.max(...dropped.map(({ bytesRead }) => bytesRead))).toBeLessThan(17 * mebibyte);
  expect(dropped.filter(({ destroyed }) => !destroyed)).toEqual([]);
});

test.each([
  ["an error text of a megabyte", () => failure(500, "", "x".repeat(900_000))],
  ["a value of a megabyte", (kind: MetricKind) => json(kind.body("x".repeat(900_000)))],
  ["a value that is a large object", (kind: MetricKind) => json(kind.body({ deep: "x".repeat(900_000) }))],
])("%s comes: conditions and events stay short", async (_, reply) => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api);
      breakAll(api, reply);
    },
  });
  await autoscaler.sync();
  const written = api.requests.filter(({ method }) => method !== "GET");
  expect(written.length).toBeGreaterThan(metricKinds.length);
  for (const { body } of written) expect(JSON.stringify(body).length).toBeLessThan(10_000);
  expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach));
});

test("some pods are missing: they count as at their target, and nothing falls below that", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api, perPod);
      for (const kind of perPod) {
        const { items, ...list } = kind.body("0");
        api.metrics.set(kind.path, { ...list, items: (items as readonly unknown[]).slice(0, 3) });
      }
    },
  });
  await autoscaler.sync();
  expect(perPod.map(({ name }) => replicasOf(api, name))).toEqual([3, 3]);
});

test("pods that come twice count once, by the last of them", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api, perPod);
      for (const kind of perPod) {
        const items = ["900", "100"].flatMap((value) => kind.body(value)["items"] as readonly unknown[]);
        api.metrics.set(kind.path, { ...kind.body("0"), items });
      }
    },
  });
  await autoscaler.sync();
  expect(perPod.map(({ name }) => replicasOf(api, name))).toEqual([podsOfEach, podsOfEach]);
});

test("an object that comes twice is an error that says how many came", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      const [kind] = metricKinds.filter(({ name }) => name === "object");
      if (kind === undefined) throw new Error("there is no such kind");
      putKinds(api, [kind]);
      const items = kind.body("1")["items"] as readonly unknown[];
      api.metrics.set(kind.path, { ...kind.body("1"), items: [...items, ...items] });
    },
  });
  await autoscaler.sync();
  expect(replicasOf(api, "object")).toBe(podsOfEach);
  expect(conditionOf(api, "object", "ScalingActive")).toMatchObject({
    message: expect.stringContaining("returned 2 results"),
  });
});

test("samples of yesterday are used, as upstream does: the server of the metrics API checks their age", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api);
      for (const kind of metricKinds) {
        const { items, ...list } = kind.body("50");
        const timestamp = new Date(Date.now() - 86_400_000).toISOString();
        const old = (items as readonly object[]).map((item) => ({ ...item, timestamp }));
        api.metrics.set(kind.path, { ...list, items: old });
      }
    },
  });
  await autoscaler.sync();
  expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach / 2));
});
