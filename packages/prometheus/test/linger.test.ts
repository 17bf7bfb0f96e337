import { expect, test } from "vitest";
import { createPrometheusClient } from "../src/client.ts";
import { PrometheusError } from "../src/errors.ts";
import type { FetchInit, FetchResponse } from "../src/http.ts";
import { isAnswered } from "../src/linger.ts";

const late = '{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}';

function manualClock() {
  const timers = new Map<() => void, number>();
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    after(delayMs: number, run: () => void) {
      timers.set(run, nowMs + delayMs);
      return () => void timers.delete(run);
    },
    async advance(ms: number): Promise<void> {
      await settled();
      nowMs += ms;
      for (const [run, atMs] of [...timers].toSorted(([, a], [, b]) => a - b)) {
        if (atMs > nowMs || !timers.delete(run)) continue;
        run();
        await settled();
      }
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp() {
  const clock = manualClock();
  const sent: { readonly init: FetchInit; readonly url: string }[] = [];
  let respond: (response: FetchResponse) => void = () => undefined;
  let cut: (error: Error) => void = () => undefined;
  const client = createPrometheusClient({
    url: "http://prometheus",
    clock,
    fetch: (url, init) => {
      sent.push({ url, init });
      return new Promise<FetchResponse>((resolve, reject) => {
        respond = resolve;
        cut = reject;
        init.signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    },
  });
  const left: Promise<boolean>[] = [];
  const linger = { maxMs: 60_000, onLeft: (answered: Promise<boolean>) => void left.push(answered) };
  return {
    clock,
    sent,
    left,
    query: (signal?: AbortSignal) => client.query("up", { timeoutMs: 10_000, signal, linger }),
    queryOfFile: () => client.query("up", { timeoutMs: 10_000 }),
    respond: (status: number, body: string) =>
      respond({
        status,
        headers: { get: () => null },
        body: (async function* () {
          yield body;
        })(),
      }),
    cut: () => cut(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })),
  };
}

test("a query that times out is left, and its connection shows when Prometheus has ended it", async () => {
  const { clock, sent, left, query, respond } = setUp();
  const outcome = query().catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await outcome).toMatchObject({ kind: "timeout", status: undefined });
  expect([left.length, sent[0]?.init.signal.aborted]).toEqual([1, false]);
  expect(new URL(sent[0]?.url ?? "").searchParams.get("timeout")).toBe("10000ms");
  respond(503, late);
  expect(await left[0]).toBe(true);
});

test("a caller that leaves does not close the connection", async () => {
  const { clock, sent, left, query, respond } = setUp();
  const caller = new AbortController();
  const outcome = query(caller.signal).catch((error: unknown) => error);
  await clock.advance(0);
  caller.abort(new Error("gone"));
  expect(await outcome).toMatchObject({ message: "gone" });
  expect(sent[0]?.init.signal.aborted).toBe(false);
  respond(200, '{"status":"success","data":{"resultType":"vector","result":[]}}');
  expect(await left[0]).toBe(true);
});

test("a connection that ends without a response does not say whether the query runs, which is not sent again", async () => {
  const { clock, left, query, cut, sent } = setUp();
  const outcome = query().catch(() => undefined);
  await clock.advance(10_000);
  await outcome;
  cut();
  expect([await left[0], sent.length]).toEqual([false, 1]);
});

test("a connection without a response is closed after the longest time, and leaves no timer", async () => {
  const { clock, sent, left, query } = setUp();
  const outcome = query().catch(() => undefined);
  await clock.advance(60_000);
  await outcome;
  expect([await left[0], sent[0]?.init.signal.aborted, clock.pendingTimers]).toEqual([false, true, 0]);
});

test("a response in time is given as ever, and nothing is left", async () => {
  const { clock, left, query, respond } = setUp();
  const outcome = query();
  await clock.advance(0);
  respond(200, '{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}');
  expect(await outcome).toMatchObject({ type: "scalar", value: 2 });
  expect([left.length, clock.pendingTimers]).toEqual([0, 0]);
});

test("the same query of the rules file does not wait for one that was left, and has its own timeout", async () => {
  const { clock, sent, query, queryOfFile } = setUp();
  const outcome = query().catch(() => undefined);
  await clock.advance(10_000);
  await outcome;
  const ofFile = queryOfFile().catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await ofFile).toMatchObject({ kind: "timeout" });
  expect(sent.map(({ init }) => init.signal.aborted)).toEqual([false, true]);
});

test.each([
  ["Prometheus's own timeout", new PrometheusError("timeout", "", { status: 503 }), true],
  ["a timeout of ours", new PrometheusError("timeout", ""), false],
  ["a gateway's timeout", new PrometheusError("timeout", "", { status: 504 }), false],
  ["a gateway without a server", new PrometheusError("server_error", "", { status: 502 }), false],
  ["a panic of Prometheus", new PrometheusError("server_error", "", { status: 500 }), true],
  ["a refused query", new PrometheusError("execution", "", { status: 422 }), true],
  ["a closed connection", new PrometheusError("unreachable", ""), false],
  ["no connection at all", new PrometheusError("unreachable", "", { isUnsent: true }), true],
  ["a caller that left", new Error("gone"), false],
])("%s says whether the query has ended", (_, error, expected) => {
  expect(isAnswered(error)).toBe(expected);
});
