import { manualClock } from "@plimsoll/component-base/testing";
import { compileQuery } from "../../src/evaluate/compile.ts";
import type { LiveSeries } from "../../src/evaluate/series.ts";
import { labelSet } from "../../src/labels.ts";
import { createLiveMetrics } from "../../src/scrape/demand.ts";
import { type PageFetcher, ScrapeError } from "../../src/scrape/http.ts";
import type { LiveQuery, Window } from "../../src/scrape/query.ts";
import type { Target } from "../../src/scrape/target.ts";

export const target = (pod: string): Target => ({
  key: pod,
  pod,
  isReady: true,
  container: "main",
  origin: `http://${pod}`,
  path: "/metrics",
});

/** Pods whose pages are one counter that grows by 10 each second. */
export function rig({ pods = ["a", "b"], pace = { perNamespace: 1000, all: 1000 } } = {}) {
  const manual = manualClock(1_000_000);
  let setMs = 0;
  const clock = {
    ...manual,
    nowMs: () => manual.nowMs() + setMs,
    steadyMs: manual.nowMs,
    get pendingTimers() {
      return manual.pendingTimers;
    },
  };
  const live = {
    pods,
    broken: new Map<string, string | Error>(),
    hanging: new Set<string>(),
    scrapes: 0,
    open: 0,
  };
  const fetcher: PageFetcher = {
    fetch({ pod }, timeoutMs) {
      live.scrapes += 1;
      if (live.hanging.has(pod))
        return new Promise((_, reject) => {
          clock.after(timeoutMs, () => reject(new ScrapeError("gave no whole page")));
        });
      const reason = live.broken.get(pod);
      if (reason === undefined) return Promise.resolve();
      return Promise.reject(typeof reason === "string" ? new ScrapeError(reason) : reason);
    },
    close: () => Promise.resolve(),
  };
  const metrics = createLiveMetrics({
    clock,
    random: () => 1,
    fetcher,
    openWindow: () => counters(live),
    minIntervalMs: 1000,
    pace,
  });
  const query = (promql: string, rest: Partial<LiveQuery> = {}): LiveQuery => {
    const plan = compileQuery(promql);
    if (!plan.ok) throw new Error(plan.message);
    const find = () => Promise.resolve({ ok: true as const, targets: live.pods.map(target), refused: [] });
    return { namespace: "shop", plan, group: "web", intervalMs: 1000, find, ...rest };
  };
  return { clock, live, metrics, query, setClock: (byMs: number) => void (setMs = byMs) };
}

function counters(live: { open: number }): Window {
  const samples = new Map<
    string,
    { readonly atMs: number[]; readonly values: number[]; readonly stale: number[] }
  >();
  live.open += 1;
  return {
    open({ pod }, atMs) {
      const own = samples.get(pod) ?? { atMs: [], values: [], stale: [] };
      samples.set(pod, own);
      const add = (stale: number): void => {
        own.atMs.push(atMs);
        own.values.push(atMs / 100);
        own.stale.push(stale);
      };
      return {
        start: () => {},
        push: () => true,
        end() {
          add(0);
          return undefined;
        },
        fail: () => add(1),
        cost: () => 1,
      };
    },
    keepOnly(targets) {
      for (const pod of samples.keys()) if (!targets.some((one) => one.pod === pod)) samples.delete(pod);
    },
    want: () => {},
    seriesOf: () =>
      [...samples].map(
        ([pod, { atMs, values, stale }]): LiveSeries => ({
          labels: labelSet([
            ["__name__", "requests_total"],
            ["pod", pod],
          ]),
          samples: {
            times: Float64Array.from(atMs),
            values: Float64Array.from(values),
            stale: Uint8Array.from(stale),
            from: 0,
            to: atMs.length,
          },
        }),
      ),
    close: () => (live.open -= 1),
  };
}

export const rate = "sum(rate(requests_total[5s]))";
export const never = new AbortController().signal;
export const valueOf = (known: Awaited<ReturnType<ReturnType<typeof rig>["metrics"]["get"]>> | undefined) =>
  known === undefined || !known.ok
    ? known?.message
    : known.result.type === "vector"
      ? known.result.samples.map(({ value }) => Math.round(value))
      : known.result.type;
