// The clock of a client: a simulation has no time of its own.
import { expect, test } from "vitest";
import { createPrometheusClient, type FetchLike, PrometheusError, type RequestClock } from "../src/index.ts";

interface Timer {
  readonly delayMs: number;
  readonly run: () => void;
}

function fakeClock(nowMs: number): { readonly clock: RequestClock; readonly timers: Set<Timer> } {
  const timers = new Set<Timer>();
  const after = (delayMs: number, run: () => void): (() => void) => {
    const timer = { delayMs, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return { clock: { nowMs: () => nowMs, after }, timers };
}

const never: FetchLike = (_url, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("a request times out by the clock that was given", async () => {
  const { clock, timers } = fakeClock(0);
  const client = createPrometheusClient({ url: "http://prometheus", fetch: never, clock });
  const failed = errorOf(client.query("up", { timeoutMs: 3_000 }));
  await Promise.resolve();
  const [timer] = timers;
  expect(timer?.delayMs).toBe(3_000);
  timer?.run();
  expect(await failed).toMatchObject({ kind: "timeout", message: "no complete response within 3000 ms" });
  expect(timers.size).toBe(0);
});

test("the date of a Retry-After counts from the clock that was given", async () => {
  const nowMs = Date.UTC(2031, 0, 1);
  const { clock, timers } = fakeClock(nowMs);
  const headers = new Map([["retry-after", new Date(nowMs + 90_000).toUTCString()]]);
  const fetch: FetchLike = async () => ({
    status: 503,
    headers: { get: (name) => headers.get(name) ?? null },
    body: null,
  });
  const client = createPrometheusClient({ url: "http://prometheus", fetch, clock });
  const error = await errorOf(client.query("up"));
  expect(error instanceof PrometheusError && error.retryAfterMs).toBe(90_000);
  expect(timers.size).toBe(0);
});
