import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { compileQuery } from "../../src/evaluate/compile.ts";
import type { LiveSeries } from "../../src/evaluate/series.ts";
import { labelSet } from "../../src/labels.ts";
import { createLiveMetrics } from "../../src/scrape/demand.ts";
import { type PageFetcher, ScrapeError } from "../../src/scrape/http.ts";
import type { LiveQuery, Window } from "../../src/scrape/query.ts";
import type { Target } from "../../src/scrape/target.ts";

const target = (pod: string): Target => ({
  key: pod,
  pod,
  isReady: true,
  container: "main",
  origin: `http://${pod}`,
  path: "/metrics",
});

/** Pods whose pages are one counter that grows by 10 each second. */
function rig({ pods = ["a", "b"], pace = { perNamespace: 1000, all: 1000 } } = {}) {
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
  const live = { pods, broken: new Map<string, string | Error>(), scrapes: 0, open: 0 };
  const fetcher: PageFetcher = {
    fetch({ pod }) {
      live.scrapes += 1;
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

const rate = "sum(rate(requests_total[5s]))";
const never = new AbortController().signal;
const valueOf = (known: Awaited<ReturnType<ReturnType<typeof rig>["metrics"]["get"]>> | undefined) =>
  known === undefined || !known.ok
    ? known?.message
    : known.result.type === "vector"
      ? known.result.samples.map(({ value }) => Math.round(value))
      : known.result.type;

test("the first request waits until the window is full, and the next ones for nothing", async () => {
  const { clock, live, metrics, query } = rig();
  const asked = query(rate);
  expect(metrics.known(asked)).toBeUndefined();
  const first = metrics.get(asked, never);
  await clock.advance(4000);
  expect(live.scrapes).toBe(10);
  expect(valueOf(await first)).toEqual([20]);
  const known = metrics.known(asked);
  expect([valueOf(known), known?.isNewest()]).toEqual([[20], true]);
  await clock.advance(1000);
  expect(known?.isNewest()).toBe(false);
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("scraping ends a minute after the last request, and nothing is kept", async () => {
  const { clock, live, metrics, query } = rig();
  metrics.known(query(rate));
  await clock.advance(59_000);
  expect(live.open).toBe(1);
  await clock.advance(3_000);
  const { scrapes } = live;
  await clock.advance(60_000);
  expect([live.open, live.scrapes, clock.pendingTimers]).toEqual([0, scrapes, 0]);
});

test("queries of the same pods share the scrapes, at the shorter interval", async () => {
  const { clock, live, metrics, query } = rig();
  metrics.known(query(rate, { intervalMs: 5000 }));
  metrics.known(query("requests_total", { intervalMs: 2000 }));
  await clock.advance(20_500);
  expect(live.scrapes).toBe(2 * 11);
});

test("more pods than the limit allows are scraped more rarely, not in one burst, and none is left out", async () => {
  const pods = Array.from({ length: 40 }, (_, at) => `pod-${at}`);
  const { clock, live, metrics, query } = rig({ pods, pace: { perNamespace: 10, all: 1000 } });
  const [asked, short] = [query("sum(rate(requests_total[10s]))"), query(rate)];
  metrics.known(asked);
  await clock.advance(1_000);
  expect(live.scrapes).toBe(21);
  await clock.advance(2_900);
  expect(live.scrapes).toBe(40);
  await clock.advance(4_000);
  expect(live.scrapes).toBe(80);
  await clock.advance(4_000);
  expect(valueOf(metrics.known(asked))).toEqual([400]);
  expect(valueOf(metrics.known(short))).toMatch(
    /^the pods are scraped every 4s .* range 5s needs two scrapes/,
  );
});

test("a window that takes long to fill is not waited for", async () => {
  const { clock, metrics, query } = rig();
  const asked = query("sum(rate(requests_total[1m]))");
  metrics.known(asked);
  await clock.advance(1_000);
  expect(valueOf(await metrics.get(asked, never))).toBe("the window of 60s is full in 58s");
  await clock.advance(58_000);
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("a clock that is set changes the time of the values, and not the values", async () => {
  const { clock, metrics, query, setClock } = rig();
  const asked = query(rate);
  metrics.known(asked);
  await clock.advance(5_000);
  setClock(-3_600_000);
  await clock.advance(2_000);
  expect(valueOf(metrics.known(asked))).toEqual([20]);
  expect(metrics.known(asked)).toHaveProperty("result.samples.0.atMs", 1_007_000 - 3_600_000);
});

test("an error that is no failure of a scrape costs the pod its sample, and no more", async () => {
  const { clock, live, metrics, query } = rig();
  const asked = query(rate);
  metrics.known(asked);
  live.broken.set("b", new TypeError("bad path"));
  await clock.advance(5_000);
  expect(valueOf(metrics.known(asked))).toEqual([10]);
});

test("one page that is missing changes nothing; after two the pod has no value until its window is full again", async () => {
  const { clock, live, metrics, query } = rig();
  const [asked, perPod] = [query(rate), query("sum by (pod) (rate(requests_total[5s]))")];
  metrics.known(asked);
  metrics.known(perPod);
  await clock.advance(6_000);
  live.broken.set("b", "refuses the connection");
  await clock.advance(1_000);
  expect(metrics.known(asked)).not.toHaveProperty("result.missing");
  expect(valueOf(metrics.known(perPod))).toEqual([10, 10]);
  await clock.advance(1_000);
  expect(metrics.known(asked)).toHaveProperty(
    "result.missing",
    "the pod b has not been read for 2 s: it refuses the connection",
  );
  expect(valueOf(metrics.known(perPod))).toEqual([10]);
  live.broken.delete("b");
  await clock.advance(3_000);
  expect(metrics.known(asked)).toHaveProperty("result.missing", "the pod b was not read until 2 s ago");
  expect(valueOf(metrics.known(perPod))).toEqual([10]);
  await clock.advance(2_000);
  expect(metrics.known(asked)).not.toHaveProperty("result.missing");
  expect(valueOf(metrics.known(perPod))).toEqual([10, 10]);
});

test("rounds that fail begin the windows anew", async () => {
  const { clock, live, metrics, query } = rig();
  const found = { fails: false };
  const asked: LiveQuery = query(rate, {
    find: () =>
      Promise.resolve(
        found.fails
          ? { ok: false as const, message: "cannot list pods" }
          : { ok: true as const, targets: live.pods.map(target), refused: [] },
      ),
  });
  metrics.known(asked);
  await clock.advance(6_000);
  found.fails = true;
  await clock.advance(10_000);
  expect(valueOf(metrics.known(asked))).toBe("cannot list pods");
  found.fails = false;
  for (let at = 0; at < 5; at += 1) {
    await clock.advance(1_000);
    expect([undefined, "20"]).toContain(valueOf(metrics.known(asked))?.toString());
  }
  expect(valueOf(metrics.known(asked))).toEqual([20]);
});

test("a result has an age: when finding the pods hangs, it is not handed out for ever", async () => {
  const { clock, live, metrics, query } = rig();
  const found = { hangs: false };
  const asked = query(rate, {
    find: () =>
      found.hangs
        ? new Promise<never>(() => {})
        : Promise.resolve({ ok: true as const, targets: live.pods.map(target), refused: [] }),
  });
  metrics.known(asked);
  await clock.advance(6_000);
  const last = metrics.known(asked);
  found.hangs = true;
  await clock.advance(4_500);
  expect(last?.isNewest()).toBe(true);
  await clock.advance(1_000);
  expect(last?.isNewest()).toBe(false);
  expect(valueOf(metrics.known(asked))).toMatch(
    /^(?:cannot find the pods|the pods have not been scraped for)/,
  );
});

test("a ready pod that never gave a page is missing, and one that starts holds up nobody", async () => {
  const { clock, live, metrics, query } = rig();
  live.broken.set("b", "refuses the connection");
  const unready = query(rate, {
    group: "starting",
    find: () =>
      Promise.resolve({
        ok: true as const,
        targets: live.pods.map((pod) => ({ ...target(pod), isReady: pod !== "b" })),
        refused: [],
      }),
  });
  metrics.known(unready);
  const asked = query(rate);
  metrics.known(asked);
  await clock.advance(5_000);
  expect(metrics.known(asked)).toHaveProperty(
    "result.missing",
    "the pod b has not been read yet: it refuses the connection",
  );
  expect(metrics.known(unready)).not.toHaveProperty("result.missing");
  expect(valueOf(metrics.known(unready))).toEqual([10]);
  live.broken.set("a", "answers with status 500");
  live.pods = ["a"];
  await clock.advance(1_000);
  expect(valueOf(metrics.known(asked))).toBe("no pod of 1 could be scraped: a answers with status 500");
});

test("pods that cannot be found are said", async () => {
  const { clock, metrics, query } = rig();
  const find = () => Promise.resolve({ ok: false as const, message: "cannot list pods" });
  const asked = query(rate, { find });
  metrics.known(asked);
  await clock.advance(1_000);
  expect(valueOf(metrics.known(asked))).toBe("cannot list pods");
});

test("requests that wait end with their signal, and with the process", async () => {
  const { clock, metrics, query } = rig();
  const asked = query(rate);
  const late = new AbortController();
  const [ended, stopped] = [metrics.get(asked, late.signal), metrics.get(asked, never)];
  late.abort(new Error("too late"));
  await expect(ended).rejects.toThrow("too late");
  await metrics.stop();
  expect(valueOf(await stopped)).toBe("the adapter is stopping");
  await clock.advance(5_000);
  expect(clock.pendingTimers).toBe(0);
});
