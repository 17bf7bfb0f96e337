// What changed in a specification while it was recorded, out of its series.
import { expect, test } from "vitest";
import { changesOf } from "../../src/prometheus/hpa-changes.ts";
import { type HpaSeries, hpaSelector, hpaSeriesOf } from "../../src/prometheus/hpa-series.ts";
import { statusOf } from "../../src/prometheus/hpa-status.ts";
import { readManifest } from "../../src/prometheus/manifest.ts";
import type { Track } from "../../src/prometheus/track.ts";
import { hpa } from "../../src/testing/index.ts";

const span = { fromMs: 0, toMs: 100_000 };
const manifest = readManifest(hpa);

/** A value, and another one from an instant on, scraped every ten seconds. */
function stepped(from: number, to: number, atMs: number, labels: Track["labels"] = {}): Track {
  const instants = Array.from({ length: 10 }, (_, n) => n * 10_000);
  return { labels, atMs: instants, values: instants.map((at) => (at < atMs ? from : to)) };
}

function series(families: Readonly<Record<string, readonly Track[]>>): HpaSeries {
  return { source: "kube-state-metrics", families: new Map(Object.entries(families)) };
}

const [up, down] = ["spec_behavior_scale_up_tolerance", "spec_behavior_scale_down_tolerance"] as const;

test("a tolerance that changes both ways is followed, and what it was before is known", () => {
  const both = { [up]: [stepped(0.1, 0.05, 50_000)], [down]: [stepped(0.1, 0.05, 50_000)] };
  expect(changesOf(manifest, series(both), span)).toEqual({
    changes: [
      { field: "tolerance", atMs: 0, earliestMs: 0, value: 0.1 },
      { field: "tolerance", atMs: 50_000, earliestMs: 40_000, value: 0.05 },
    ],
    notes: [],
  });
});

test("a tolerance of one direction is noted, since the other is unknown by it", () => {
  const { changes, notes } = changesOf(
    manifest,
    series({ [up]: [stepped(0.1, 0.05, 50_000)], [down]: [stepped(0.1, 0.1, 0)] }),
    span,
  );
  expect(changes).toEqual([]);
  expect(notes).toEqual([
    "the tolerance of one direction changed until 1970-01-01T00:00:50Z: decisions before it are compared with today's",
  ]);
});

test("a bound that changed is followed from the beginning of the span", () => {
  const { maxReplicas } = hpa.spec;
  const own = { spec_max_replicas: [stepped(20, maxReplicas, 30_000)] };
  expect(changesOf(manifest, series(own), span).changes).toEqual([
    { field: "maxReplicas", atMs: 0, earliestMs: 0, value: 20 },
    { field: "maxReplicas", atMs: 30_000, earliestMs: 20_000, value: maxReplicas },
  ]);
});

/** Two External metrics of one name: their selectors are in no label. */
const queues = readManifest({
  ...hpa,
  spec: {
    ...hpa.spec,
    metrics: ["orders", "mails"].map((queue) => ({
      type: "External",
      external: {
        metric: { name: "queue", selector: { matchLabels: { queue } } },
        target: { type: "AverageValue", averageValue: "30" },
      },
    })),
  },
});

test("metrics that differ in their selector alone have no values in a status", () => {
  const labels = { metric_name: "queue", metric_target_type: "average" };
  const { status, lost } = statusOf(
    queues,
    series({
      status_current_replicas: [stepped(2, 2, 0)],
      status_desired_replicas: [stepped(2, 3, 50_000)],
      status_target_metric: [stepped(30, 45, 50_000, labels)],
    }),
  );
  expect(status).toHaveLength(10);
  expect(status.every(({ values }) => values.every((value) => value === undefined))).toBe(true);
  expect(lost.get(0)).toBe(
    "spec.metrics[0] and [1] are both named queue, but status_target_metric has one series for both",
  );
  expect(lost.size).toBe(2);
});

test("further matchers of --selector are in the query of everything that is read", () => {
  const selector = hpaSelector(manifest, [{ label: "cluster", operator: "=", value: "eu" }]);
  expect(selector).toContain('cluster="eu"');
  expect(selector).toContain('namespace="default"');
});

test("our own series are read where they are whole, and those of kube-state-metrics where we have the info alone", () => {
  const named = (name: string, more: Track["labels"] = {}) =>
    stepped(1, 1, 0, { __name__: name, kind: "HorizontalPodAutoscaler", ...more });
  const info = named("plimsoll_horizontalpodautoscaler_info", { mode: "active" });
  const max = named("plimsoll_horizontalpodautoscaler_spec_max_replicas");
  const theirs = named("kube_horizontalpodautoscaler_spec_max_replicas");
  expect(hpaSeriesOf(manifest, [info, max, theirs])?.source).toBe("plimsoll");
  expect(hpaSeriesOf(manifest, [info, theirs])?.source).toBe("kube-state-metrics");
  expect(hpaSeriesOf(manifest, [info])).toBeUndefined();
});
