// Queries of tenants while Prometheus cannot be reached: none of them runs there.
import { systemClock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { createPrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { createPrometheusCircuit } from "../../../../src/backends/prometheus/circuit.ts";
import { createExecutor, type Executor } from "../../../../src/backends/prometheus/query/execute.ts";
import { createResponseBudgets } from "../../../../src/backends/prometheus/query/response-budgets.ts";
import { tenantQuery } from "../../../../src/backends/prometheus/query/tenant-history.ts";
import { recordingLog } from "../../../http/fakes.ts";

/** Packets to the server get lost, or connections to it are cut. Counts the queries that reached it. */
function bench() {
  const clock = manualClock(1_700_000_000_000);
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const server = { fails: undefined as "lost" | "cut" | undefined, reached: 0 };
  const client = createPrometheusClient({
    url: "http://prometheus",
    clock,
    async fetch() {
      if (server.fails === "lost") {
        await sleep(2_000);
        throw Object.assign(new Error("no connection within 2000 ms"), { erroredSysCall: "connect" });
      }
      server.reached += 1;
      await sleep(server.fails === "cut" ? 1_500 : 20);
      if (server.fails === "cut") throw new Error("socket hang up");
      const body = '{"status":"success","data":{"resultType":"vector","result":[]}}';
      const headers = { get: () => null };
      return { status: 200, headers, body: [body] as unknown as AsyncIterable<string> };
    },
  });
  const executor = createExecutor({
    source: { client, resultMaxAgeMs: 0 },
    circuit: createPrometheusCircuit(client, clock),
    clock,
    log: recordingLog(),
    budgets: createResponseBudgets(manualClock(0)),
  });
  return { clock, server, executor, ask: asker(executor) };
}

function asker(executor: Executor) {
  return async (namespace: string): Promise<string> => {
    const { signal } = new AbortController();
    const account = { metric: namespace, namespace, tenantQuery: tenantQuery(namespace, "q") };
    const query = {
      promql: `q{namespace="${namespace}"}`,
      account,
      kind: "exact",
      caller: { signal: () => signal },
    } as const;
    try {
      await executor.execute(query, signal, () => undefined);
      return "ok";
    } catch (error) {
      return error instanceof PrometheusError ? error.message : String(error);
    }
  };
}

const namespaces = ["a", "b", "c", "d", "e", "f", "g", "h"];

test("after an hour without a connection every namespace is served at once", async () => {
  const { clock, server, executor, ask } = bench();
  server.fails = "lost";
  for (let at = 0; at < 240; at += 1) {
    for (const namespace of namespaces) void ask(namespace);
    await clock.advance(15_000);
    expect(executor.unanswered()).toBe(0);
  }
  server.fails = undefined;
  await clock.advance(15_000);
  const all = namespaces.map(ask);
  await clock.advance(1_000);
  expect(await Promise.all(all)).toEqual(namespaces.map(() => "ok"));
});

test("a connection that is cut after the query was sent counts as a query that runs", async () => {
  const { clock, server, executor, ask } = bench();
  server.fails = "cut";
  const cut = ask("a");
  await clock.advance(2_000);
  expect([await cut, server.reached, executor.unanswered()]).toEqual(["socket hang up", 1, 1]);
  expect(await ask("a")).toContain("may still run in Prometheus");
});

test("a refused connection says that nothing was sent", async () => {
  const client = createPrometheusClient({ url: "http://127.0.0.1:1", clock: systemClock });
  await expect(client.query("up")).rejects.toMatchObject({ kind: "unreachable", isUnsent: true });
  await client.close();
});
