// The ways to the decisions endpoint: what is sent to whom, and what happens when one does not work.
import { type Connection, ConnectionError, PortForwardRefusedError } from "@plimsoll/kube";
import { describe, expect, test } from "vitest";
import type { CliSeams } from "../../src/seams.ts";
import { putDecisions } from "./decisions.ts";
import {
  connecting,
  type FakeAutoscaler,
  leaseOf,
  localForward,
  startFakeAutoscaler,
} from "./fake-autoscaler.ts";
import { run } from "./fake-cluster.ts";
import { shopCluster } from "./workload.ts";

const canary = "canary-token-7c1d";
const own = "/apis/decisions/v1";
const group = "/apis/explain.plimsoll.dev/v1";

async function setUp(fake = shopCluster()) {
  const autoscaler = await startFakeAutoscaler();
  putDecisions(autoscaler, own);
  fake.put(leaseOf(autoscaler));
  const forward = localForward();
  const connect = connecting(fake, { token: canary, forwardPort: forward.forwardPort });
  const explain = (args: readonly string[] = [], seams: Partial<CliSeams> = {}) =>
    run(fake, ["explain", "shop", ...args], { connect, ...seams });
  return { fake, autoscaler, forward, connect, explain };
}

const hasNoCanary = ({ out, errors }: { readonly out: string; readonly errors: string }): void =>
  expect(`${out}${errors}`).not.toContain("canary");

describe("a way that works", () => {
  test("port-forward: to the pod of the lease, with the token", async () => {
    const { autoscaler, forward, explain } = await setUp();
    const ran = await explain();
    expect(ran).toMatchObject({ code: 0, errors: "" });
    expect(ran.out).toMatch(/default\/shop -> Deployment\/shop +recorded 0s ago, in shadow\n/);
    expect(ran.out).toContain("Built-in controller: agrees (8, ScaleDownStabilized)");
    expect(new Set(forward.pods)).toEqual(new Set(["plimsoll/autoscaler-0"]));
    expect(new Set(autoscaler.requests.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${canary}`]),
    );
  });

  test.each([
    [[], "1", 1],
    [["--diff"], "2", 2],
  ])("explain %s reads the decisions that it shows once, and their records", async (args, limit, records) => {
    const { autoscaler, explain } = await setUp();
    expect((await explain(args)).code).toBe(0);
    const read = autoscaler.requests.filter(({ path }) => !path.endsWith("/summary"));
    const of = `${own}/namespaces/default/horizontalpodautoscalers/shop`;
    expect(read.map(({ path }) => path)).toEqual([of, ...Array(records).fill(`${of}/record`)]);
    expect(read[0]?.query).toEqual({ limit });
  });

  test("apiservice: through the API server, which passes the user on, impersonated or not", async () => {
    const fake = shopCluster({ hasApiService: true });
    putDecisions(fake, group);
    const { autoscaler, forward, explain } = await setUp(fake);
    for (const args of [[], ["--as=alice"]]) {
      const ran = await explain(args);
      expect(ran).toMatchObject({ code: 0, errors: "" });
      expect(ran.out).toContain("recorded 0s ago");
    }
    expect([forward.pods, autoscaler.requests]).toEqual([[], []]);
  });

  test("server: an address of the user's own, verified with --ca-file", async () => {
    const { autoscaler, forward, explain } = await setUp();
    const args = ["--via=server", `--server=https://127.0.0.1:${autoscaler.port}/`, "--ca-file=ca.pem"];
    const ran = await explain(args, { readText: () => Promise.resolve(autoscaler.caPem) });
    expect(ran).toMatchObject({ code: 0, errors: "" });
    expect(ran.out).toContain("recorded 0s ago");
    expect(forward.pods).toEqual([]);
  });

  test("-v lists the requests, and no credential", async () => {
    const { explain } = await setUp();
    const ran = await explain(["-v"]);
    expect(ran.errors).toContain(`GET ${own}/namespaces/default/summary?limit=1 ok 0ms`);
    hasNoCanary(ran);
  });

  test("the decision, its record and the one before are in the document", async () => {
    const { explain } = await setUp();
    const record = await explain(["-o", "record"]);
    expect(JSON.parse(record.out)).toMatchObject({ at: "2026-11-22T10:00:02Z" });
    const whyNot = await explain(["--why-not=5"]);
    expect(whyNot.out).toContain(
      "Why not 5: held by the stabilization window: the highest recommendation since 09:55:02 is 8 (09:59:31).",
    );
    const back = await explain(["--back=1"]);
    expect(back.out).toContain("recorded 15s ago");
    const tooFar = await explain(["--back=2"]);
    expect(tooFar).toMatchObject({
      code: 1,
      errors: "error: --back 2: 2 decisions are kept (--decision-history), the oldest of 09:59:47\n",
    });
  });
});

describe("a way that does not work", () => {
  type Prepare = (up: Awaited<ReturnType<typeof setUp>>) => readonly string[] | void;
  const refusing =
    (error: Error): Prepare =>
    ({ forward }) =>
      void (forward.refuse = error);
  const problems: readonly (readonly [name: string, reason: string, prepare: Prepare])[] = [
    [
      "another certificate",
      "pod plimsoll/autoscaler-0: its certificate differs from the one in its lease; nothing was sent",
      ({ fake, autoscaler }) => fake.put(leaseOf({ port: autoscaler.port, sha256: "0".repeat(64) })),
    ],
    [
      "a token that is not sent",
      "the user has no client certificate, and sending the token is off",
      () => ["--send-token=never"],
    ],
    ["impersonation", "--as works through the APIService only", () => ["--as=alice"]],
    ["no lease", "no lease in namespace elsewhere has an address", () => ["--endpoint-namespace=elsewhere"]],
    [
      "a lease without a holder",
      "the lease plimsoll/plimsoll-autoscaler has no holder",
      ({ fake, autoscaler }) => fake.put(leaseOf(autoscaler, { holder: "" })),
    ],
    [
      "a lease that names no pod",
      "the address in lease plimsoll/plimsoll-autoscaler is unusable",
      ({ fake, autoscaler }) => fake.put(leaseOf(autoscaler, { pod: "../../secrets" })),
    ],
    [
      "leases that may not be listed",
      "you can't list leases in namespaces plimsoll and kube-system",
      ({ fake }) => fake.deny(/leases$/),
    ],
    [
      "a forwarding that is forbidden",
      "pods/portforward is forbidden",
      refusing(
        new PortForwardRefusedError({ code: 403, reason: "", message: "pods/portforward is forbidden" }),
      ),
    ],
    [
      "a port that is closed",
      "port-forward: connection refused",
      refusing(new ConnectionError("refused", "port-forward: connection refused")),
    ],
  ];

  test.each(problems)(
    "%s: one line says so, nothing is sent, and live data are used",
    async (_, reason, prepare) => {
      const up = await setUp();
      const args = prepare(up) ?? [];
      const ran = await up.explain(args);
      expect(ran.code).toBe(0);
      expect(ran.errors).toContain("note: no decisions endpoint (no APIService v1.explain.plimsoll.dev; ");
      expect(ran.errors).toContain(`${reason}); recomputing from live data\n`);
      expect(ran.errors.split("\n")).toHaveLength(2);
      expect(ran.out).toContain("recomputed now");
      expect([up.autoscaler.requests, up.autoscaler.certificates]).toEqual([[], []]);
      hasNoCanary(ran);
    },
  );

  test.each(problems)("%s: a way that was asked for is an error", async (_, reason, prepare) => {
    const up = await setUp();
    const args = prepare(up) ?? [];
    const ran = await up.explain(["--via=port-forward", ...args]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.errors).toBe(`error: --via port-forward: ${reason}\n`);
    hasNoCanary(ran);
  });

  test("a token that expired: the autoscaler's own words, without the token", async () => {
    const { autoscaler, explain } = await setUp();
    autoscaler.reply(`${own}/namespaces/default/summary`, "Unauthorized", 401);
    const ran = await explain();
    expect(ran.errors).toContain('the autoscaler does not accept user "u": Unauthorized');
    expect(ran.out).toContain("recomputed now");
    hasNoCanary(ran);
  });

  test("who may not list may still get", async () => {
    const { autoscaler, explain } = await setUp();
    autoscaler.reply(`${own}/namespaces/default/summary`, "you may not list", 403);
    expect(await explain()).toMatchObject({ code: 0, errors: "" });
  });

  test("an APIService that is unavailable, or refuses, is not the last way", async () => {
    for (const [code, message] of [
      [503, "service unavailable"],
      [403, 'summary.explain.plimsoll.dev is forbidden: User "u" cannot list'],
    ] as const) {
      const fake = shopCluster({ hasApiService: true });
      fake.reply(`${group}/namespaces/default/summary`, message, code);
      const { explain, forward } = await setUp(fake);
      expect(await explain()).toMatchObject({ code: 0, errors: "" });
      expect(forward.pods.length).toBeGreaterThan(0);
    }
  });

  test("a server of another authority gets no request", async () => {
    const { autoscaler, explain } = await setUp();
    const other = await startFakeAutoscaler();
    const args = ["--via=server", `--server=https://127.0.0.1:${autoscaler.port}`, "--ca-file=ca.pem"];
    const ran = await explain(args, { readText: () => Promise.resolve(other.caPem) });
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(autoscaler.requests).toEqual([]);
    hasNoCanary(ran);
  });

  test.each([
    [["--via=server"], "--via server needs --server URL"],
    [["--ca-file=x"], "--ca-file needs --server"],
    [
      ["--via=server", "--server=http://127.0.0.1"],
      "--server must be an https URL: credentials are sent to it",
    ],
    [
      ["--via=server", "--server=https://u:canary@127.0.0.1"],
      "--server must be an https URL without a user, query or fragment",
    ],
  ])("%j is an error", async (args, message) => {
    const { explain } = await setUp();
    expect(await explain(args)).toEqual({ code: 1, out: "", errors: `error: ${message}\n` });
  });

  test("PLIMSOLL_SEND_TOKEN forbids the token, too, and may be nothing else", async () => {
    const { explain, autoscaler } = await setUp();
    const never = await explain([], { env: { PLIMSOLL_SEND_TOKEN: "never" } });
    expect(never.errors).toContain("sending the token is off");
    expect(autoscaler.requests).toEqual([]);
    const other = await explain([], { env: { PLIMSOLL_SEND_TOKEN: "no" } });
    expect(other).toMatchObject({ code: 1, errors: "error: PLIMSOLL_SEND_TOKEN must be auto or never\n" });
  });
});

test("a lease in a namespace that is not the autoscaler's gets no credential", async () => {
  const fake = shopCluster();
  const foreign = await startFakeAutoscaler();
  fake.put(leaseOf(foreign, { namespace: "default" }));
  const { autoscaler, explain } = await setUp(fake);
  autoscaler.stop();
  await explain();
  expect(foreign.requests).toEqual([]);
  putDecisions(foreign, own);
  expect((await explain(["--endpoint-namespace=default"])).out).toContain("recorded 0s ago");
});

test("a process that lost its lease is left for the one that has it", async () => {
  const { fake, autoscaler: first, explain, connect } = await setUp();
  const second: FakeAutoscaler = await startFakeAutoscaler();
  putDecisions(second, own);
  first.stop();
  const moved = async (): Promise<Connection> => {
    const { client, access } = await connect();
    const { forwardPort } = access;
    return {
      client,
      access: {
        ...access,
        forwardPort(target, signal) {
          fake.put(leaseOf(second, { pod: "autoscaler-1" }));
          return forwardPort?.(target, signal) ?? Promise.reject(new Error("no way"));
        },
      },
    };
  };
  const ran = await explain([], { connect: moved });
  expect(ran).toMatchObject({ code: 0, errors: "" });
  expect(ran.out).toContain("recorded 0s ago");
  expect(second.requests.length).toBeGreaterThan(0);
});

test.each([
  ["no decision yet about it", 404, undefined],
  ['no recorded decision about horizontalpodautoscalers "shop" in namespace "default"', 200, { items: [] }],
])("an object about which nothing is recorded is recomputed: %s", async (because, code, body) => {
  const { autoscaler, explain } = await setUp();
  const path = `${own}/namespaces/default/horizontalpodautoscalers/shop`;
  autoscaler.reply(path, body ?? because, code);
  const ran = await explain();
  expect(ran.out).toContain("recomputed now");
  expect(ran.errors).toBe(`note: ${because}; recomputing from live data\n`);
  expect(await explain(["--back=1"])).toMatchObject({ code: 1 });
});

test("status lists what is recorded, and a row of another version cannot break it", async () => {
  const { fake, autoscaler, connect } = await setUp();
  const page = `${own}/namespaces/default/summary`;
  const status = () => run(fake, ["status"], { connect });
  expect((await status()).out).toMatch(/^shop +8 +5 +2-40 +cpu +0.567 +stabilize +/m);
  autoscaler.reply(page, { items: [{ resource: "horizontalpodautoscalers", heldBy: "news" }, null, 7] });
  expect((await status()).out).toMatch(/^shop .*status only$/m);
});
