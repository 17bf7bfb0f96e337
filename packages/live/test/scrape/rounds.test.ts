import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { compileQuery } from "../../src/evaluate/compile.ts";
import { createLiveMetrics } from "../../src/scrape/demand.ts";
import type { LiveQuery } from "../../src/scrape/query.ts";
import { createWindows } from "../../src/scrape/window.ts";
import { rig as counters, rate, target, valueOf } from "./rig.ts";

const perSecond = 10;

/** Pods whose counters follow the clock, on pages with many series that no query wants. */
function rig({ pods, seriesOfPage }: { readonly pods: number; readonly seriesOfPage: number }) {
  const clock = manualClock(1_000_000);
  const pageAt = (atMs: number): string =>
    Array.from(
      { length: seriesOfPage },
      (_, at) => `requests_total{at="${at}"} ${(atMs * perSecond) / 1000}\n`,
    ).join("");
  const metrics = createLiveMetrics({
    clock,
    random: () => 1,
    fetcher: {
      async fetch(_, __, page) {
        page.start("text/plain");
        page.push(Buffer.from(pageAt(clock.nowMs())));
      },
      close: () => Promise.resolve(),
    },
    openWindow: createWindows({ series: 1e6, samples: 1e7, labelBytes: 1e9 }),
    minIntervalMs: 1000,
    pace: { perNamespace: 200, all: 200 },
  });
  const targets = Array.from({ length: pods }, (_, at) => target(`pod-${at}`));
  const query = (promql: string): LiveQuery => {
    const plan = compileQuery(promql);
    if (!plan.ok) throw new Error(plan.message);
    const find = () => Promise.resolve({ ok: true as const, targets, refused: [] });
    return { namespace: "shop", plan, group: "web", intervalMs: 1000, find };
  };
  return { clock, metrics, query };
}

test("a page has its own time: waits that differ from round to round change a rate by a tenth at most, or the sum is marked", async () => {
  const { clock, metrics, query } = rig({ pods: 100, seriesOfPage: 60 });
  const asked = query("sum(rate(requests_total[6s]))");
  const expected = 100 * 60 * perSecond;
  const [values, missing] = [new Set<number>(), new Set<string>()];
  metrics.known(asked);
  for (let second = 0; second < 30; second += 1) {
    // Another query makes all series new, and the pages of that round costly.
    if (second === 12) metrics.known(query("max(requests_total)"));
    await clock.advance(1_000);
    const known = metrics.known(asked);
    if (known?.ok !== true || known.result.type !== "vector") continue;
    if (known.result.missing !== undefined) missing.add(known.result.missing);
    else values.add(Math.round((known.result.samples[0]?.value ?? 0) / 100));
  }
  expect(missing.size).toBeGreaterThan(1);
  // A page that is a little late takes up to a tenth from a rate, as in Prometheus.
  expect(Math.min(...values)).toBeGreaterThan((0.9 * expected) / 100);
  expect(Math.max(...values)).toBe(expected / 100);
});

test("pods that hang cost their own samples, and are read again soon after they answer", async () => {
  const pods = Array.from({ length: 150 }, (_, at) => `pod-${at}`);
  const { clock, live, metrics, query } = counters({ pods });
  const [asked, other] = [
    query(rate),
    query(rate, {
      group: "other",
      find: () => Promise.resolve({ ok: true as const, targets: [target("other-0")], refused: [] }),
    }),
  ];
  for (const one of [asked, other]) metrics.known(one);
  await clock.advance(6_000);
  live.hanging = new Set(pods.slice(50));
  await clock.advance(15_000);
  expect(valueOf(metrics.known(asked))).toEqual([500]);
  expect(metrics.known(asked)).toHaveProperty("result.missing");
  expect(valueOf(metrics.known(other))).toEqual([10]);
  live.hanging = new Set();
  await clock.advance(20_000);
  expect(valueOf(metrics.known(asked))).toEqual([1500]);
  expect(metrics.known(asked)).not.toHaveProperty("result.missing");
});
