// A server with few slots, and the queries of tenants that take them.
import { manualClock } from "@plimsoll/component-base/testing";
import {
  createInFlightLimiter,
  NotStartedError,
} from "../../../../src/backends/prometheus/query/in-flight.ts";
import type { QueryLimits } from "../../../../src/backends/prometheus/query/limits.ts";
import { tenantQuery } from "../../../../src/backends/prometheus/query/tenant-history.ts";

/** How a query of a test ends. never: the connection shows nothing. cut: a proxy closes it after a minute. */
type Fate = "answered" | "late" | "never" | "cut";

/** A server that takes a slot for a query until it ends, whatever the adapter believes. */
export function bench(max: QueryLimits = {}) {
  const clock = manualClock(1_700_000_000_000);
  const limiter = createInFlightLimiter(clock, undefined, max);
  const sent: { readonly namespace: string; readonly atMs: number }[] = [];
  const messages: string[] = [];
  let running = 0;
  let most = 0;
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

  /** Sends a query of a MetricRule as the executor does; gives how it ended. */
  const ask = async (
    namespace: string,
    promql: string,
    fate: Fate,
  ): Promise<"ok" | "refused" | "timeout"> => {
    const account = { metric: promql, namespace, tenantQuery: tenantQuery(namespace, promql) };
    const caller = new AbortController();
    const cancel = clock.after(10_000, () => caller.abort(new Error("the caller left")));
    try {
      const release = await limiter.acquire(account, caller.signal, () => messages.push("preempted"));
      sent.push({ namespace, atMs: clock.nowMs() });
      running += 1;
      most = Math.max(most, running);
      await sleep(fate === "answered" ? 20 : 10_000);
      if (fate === "never") release("timeout", new Promise(() => undefined));
      else if (fate === "cut")
        release(
          "timeout",
          sleep(50_000).then(() => false),
        );
      else release(fate === "answered" ? "succeeded" : "timeout");
      if (fate === "answered" || fate === "late") running -= 1;
      return fate === "answered" ? "ok" : "timeout";
    } catch (error) {
      if (error instanceof NotStartedError) messages.push(error.message);
      return "refused";
    } finally {
      cancel();
    }
  };

  /** Sends it again and again, as HPAs and status checks do. */
  const repeat = async (namespace: string, promql: string, fate: Fate): Promise<void> => {
    for (;;) {
      await ask(namespace, promql, fate);
      await sleep(15_000);
    }
  };

  return {
    clock,
    limiter,
    ask,
    repeat,
    messages,
    most: () => most,
    sentBy: (namespace: string, fromMs = 0) =>
      sent.filter((one) => one.namespace === namespace && one.atMs >= fromMs).length,
    hostile(namespace: string, fate: Fate, rules = 24) {
      for (let at = 0; at < rules; at += 1) void repeat(namespace, `hang_${at}`, fate);
    },
    /** Waits for the outcome, a minute at most. */
    async outcome(promise: Promise<string>): Promise<string> {
      const found: string[] = [];
      void promise.then((is) => found.push(is));
      for (let seconds = 0; found.length === 0 && seconds < 60; seconds += 1) await clock.advance(1_000);
      return found[0] ?? "waits";
    },
    async ofFile(metric: string, namespace: string): Promise<string> {
      const signal = new AbortController().signal;
      const release = await limiter.acquire({ metric, namespace }, signal, () => undefined);
      release("succeeded");
      return "ok";
    },
  };
}
