import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import {
  createInFlightLimiter,
  NotStartedError,
  type Release,
} from "../../../../src/backends/prometheus/query/in-flight.ts";
import type { Account } from "../../../../src/backends/prometheus/query/limits.ts";

const WORST_WAIT_MS = 6_000;

function bench() {
  const clock = manualClock(1_700_000_000_000);
  const limiter = createInFlightLimiter(clock);
  const never = new AbortController().signal;
  const refusals: unknown[] = [];
  let inFlight = 0;
  let most = 0;

  const begun = (end: Release): Release => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    return (outcome) => {
      inFlight -= 1;
      end(outcome);
    };
  };

  return {
    clock,
    limiter,
    refusals,
    inFlight: () => inFlight,
    most: () => most,
    /** Hangs until it is preempted, and is sent once more then. */
    async hang(account: Account, signal = never): Promise<void> {
      const left = new Promise<"left">((resolve) => {
        signal.addEventListener("abort", () => resolve("left"));
      });
      while (!signal.aborted) {
        let preempt: (error: NotStartedError) => void = () => undefined;
        const preempted = new Promise<NotStartedError>((resolve) => {
          preempt = resolve;
        });
        try {
          const end = begun(await limiter.acquire(account, signal, preempt));
          end((await Promise.race([preempted, left])) === "left" ? "failed" : "timeout");
        } catch (error) {
          if (!(error instanceof NotStartedError)) return;
          await Promise.race([new Promise<void>((resolve) => clock.after(1_000, resolve)), left]);
        }
      }
    },
    /** Answers at once; gives how long it waited for its place. */
    async answer(account: Account): Promise<number> {
      const sinceMs = clock.nowMs();
      try {
        const end = begun(await limiter.acquire(account, never, () => refusals.push("preempted")));
        await Promise.resolve();
        end("succeeded");
      } catch (error) {
        refusals.push(error);
      }
      return clock.nowMs() - sinceMs;
    },
  };
}

const healthy: readonly Account[] = Array.from({ length: 40 }, (_, at) => ({
  metric: `healthy_${String(at)}`,
  namespace: `team-${String(at % 10)}`,
}));

/** A thousand queries at once at most, as many as there may be requests. */
function hangingAccounts(metrics: number, namespaces: number): readonly Account[] {
  return Array.from({ length: Math.min(metrics * 16, 1_000) }, (_, at) => ({
    metric: `hanging_${String(at % metrics)}`,
    namespace: `tenant-${String(at % namespaces)}`,
  }));
}

test.each([4, 64, 1_000])("%i metrics that hang delay none that had a response before", async (metrics) => {
  const { clock, hang, answer, refusals, most } = bench();
  await Promise.all(healthy.map(answer));
  const stop = new AbortController();
  const hung = hangingAccounts(metrics, 200).map((account) => hang(account, stop.signal));
  let waitedMs = 0;
  for (let second = 0; second < 60; second += 1) {
    const waits = Promise.all(healthy.map(answer));
    await clock.advance(1_000);
    waitedMs = Math.max(waitedMs, ...(await waits));
  }
  expect([waitedMs, refusals, most() <= 48]).toEqual([0, [], true]);
  stop.abort();
  await Promise.all(hung);
});

test.each([4, 64, 1_000])(
  "%i metrics that answered before, and now hang all at once, make the others wait for seconds at most",
  async (metrics) => {
    const { clock, hang, answer, refusals, most } = bench();
    const bad = hangingAccounts(metrics, 20);
    await Promise.all([...healthy, ...bad.slice(0, metrics)].map(answer));
    refusals.length = 0;
    const stop = new AbortController();
    const hung = bad.map((account) => hang(account, stop.signal));
    const waits: Promise<number>[] = [];
    for (let second = 0; second < 60; second += 1) {
      waits.push(...healthy.map(answer));
      await clock.advance(1_000);
    }
    await clock.advance(WORST_WAIT_MS);
    expect(Math.max(...(await Promise.all(waits)))).toBeLessThanOrEqual(WORST_WAIT_MS);
    expect([refusals, most() <= 48]).toEqual([[], true]);
    stop.abort();
    await Promise.all(hung);
  },
);

test.each([4, 64, 1_000])(
  "a metric that was never queried gets its place beside %i that hang",
  async (metrics) => {
    const { clock, hang, answer, refusals } = bench();
    const stop = new AbortController();
    const hung = hangingAccounts(metrics, 5).map((account) => hang(account, stop.signal));
    await clock.advance(100);
    const waits = Promise.all(healthy.slice(0, 10).map(answer));
    await clock.advance(2 * WORST_WAIT_MS);
    expect(Math.max(...(await waits))).toBeLessThanOrEqual(WORST_WAIT_MS);
    expect(refusals).toEqual([]);
    stop.abort();
    await Promise.all(hung);
  },
);

test.each([4, 12, 15])(
  "a namespace finds a place at once beside %i namespaces whose own metrics all hang",
  async (namespaces) => {
    const { clock, hang, answer, refusals, inFlight } = bench();
    const stop = new AbortController();
    const hung = Array.from({ length: namespaces * 8 }, (_, at) => {
      const namespace = `tenant-${at % namespaces}`;
      return hang({ metric: `rule ${namespace}/${at}`, namespace }, stop.signal);
    });
    await clock.advance(1_000);
    expect(inFlight()).toBeGreaterThanOrEqual(12);
    const victims = Array.from({ length: 5 }, (_, at) => ({ metric: `new_${at}`, namespace: "victim" }));
    const waits = Promise.all(victims.map(answer));
    await clock.advance(2 * WORST_WAIT_MS);
    expect([await waits, refusals]).toEqual([[0, 0, 0, 0, 0], []]);
    stop.abort();
    await Promise.all(hung);
  },
);

test("a query that takes long keeps its place until others wait, and no timer runs until then", async () => {
  const { clock, limiter, answer } = bench();
  const { signal } = new AbortController();
  const gone: string[] = [];
  const account = (at: number): Account => ({ metric: `long_${String(at)}`, namespace: "ns" });
  await Promise.all(Array.from({ length: 8 }, (_, at) => answer(account(at))));
  const ends = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      limiter.acquire(account(at), signal, () => gone.push(account(at).metric)),
    ),
  );
  await clock.advance(60_000);
  expect([gone, clock.pendingTimers]).toEqual([[], 0]);
  const waits = limiter.acquire(account(9), signal, () => undefined);
  await clock.advance(1_000);
  expect(gone).toEqual(["long_0"]);
  ends[0]?.("timeout");
  (await waits)("succeeded");
  expect(clock.pendingTimers).toBe(0);
});

test("who leaves the queue leaves no timer behind", async () => {
  const { clock, limiter, hang } = bench();
  const stop = new AbortController();
  const hung = Array.from({ length: 5 }, () => hang({ metric: "m", namespace: undefined }, stop.signal));
  await clock.advance(0);
  const left = new AbortController();
  const waits = limiter.acquire({ metric: "m", namespace: undefined }, left.signal, () => undefined);
  expect(clock.pendingTimers).toBe(1);
  left.abort(new Error("left"));
  await expect(waits).rejects.toThrow("left");
  stop.abort();
  await Promise.all(hung);
  expect(clock.pendingTimers).toBe(0);
});
