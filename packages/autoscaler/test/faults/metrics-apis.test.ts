import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { systemClock } from "@plimsoll/component-base";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failure, type Reply } from "../fake-api.ts";
import { rig } from "../harness.ts";
import {
  breakAll,
  conditionOf,
  counts,
  json,
  longTimeoutMs,
  mebibyte,
  raw,
  unreachable,
} from "./broken-metrics.ts";
import { type MetricKind, metricKinds, podsOfEach, putKinds, replicasOf } from "./metric-kinds.ts";

const hastyMs = 1500;

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
    name: "the connection is cut before a response",
    reply: () => raw((r) => r.destroy()),
    says: /socket|closed|reset/,
  },
  {
    name: "no response ever comes",
    reply: () => raw(() => {}),
    says: /no response within 1500 ms/,
    requestTimeoutMs: hastyMs,
  },
  {
    name: "the response trickles",
    reply: (kind) => raw((response) => trickle(response, JSON.stringify(kind.body("1")))),
    says: /no response within 1500 ms/,
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

const bomb = gzipSync(Buffer.alloc(17 * mebibyte, " "));

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
