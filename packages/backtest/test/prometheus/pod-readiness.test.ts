// Pods of which little is read, against all samples of them, out of the real Prometheus.
import { createPrometheusClient, labelOf, type PrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HistoryRead, readHistory } from "../../src/prometheus/index.ts";
import { podsOf } from "../../src/prometheus/pods.ts";
import { compactSeries, joined } from "../../src/prometheus/track.ts";
import { fromMs, hpa, type MadeUpSeries, madeUpDay } from "../../src/testing/index.ts";

const binary = process.env["PROMETHEUS"];
/** A part is a day. */
const hours = 26;
const day = madeUpDay(hours);
const scrapeMs = 15_000;
let prometheus: RealPrometheus | undefined;
let client: PrometheusClient;
let read: HistoryRead;

/** Every n-th pod has a life of which a summary is not enough, or only in part. */
const oddities: readonly ((series: MadeUpSeries) => readonly MadeUpSeries[])[] = [
  // Gone without a word: its deletion lies between two scrapes.
  (series) => (nameOf(series) === "kube_pod_deletion_timestamp" ? [] : [series]),
  // Not Ready for a minute, and Ready again.
  (series) => [changed(series, (value, at) => (at > 20 && at < 25 ? 0 : value), at20)],
  // Away between two scrapes.
  (series) => [changed(series, (value) => value, at20)],
  // Of a kube-state-metrics without the time of readiness.
  (series) => (nameOf(series) === "kube_pod_status_ready_time" ? [] : [series]),
  // Another kube-state-metrics from some scrape on.
  ({ labels, samples }) => [
    {
      labels,
      samples: [...samples.slice(0, 10), ...samples.slice(10, 11).map(([at]) => [at, "stale"] as const)],
    },
    { labels: { ...labels, instance: "other:8080" }, samples: samples.slice(10) },
  ],
  // Never Ready.
  (series) =>
    nameOf(series) === "kube_pod_status_ready_time"
      ? []
      : [
          changed(
            series,
            () => 0,
            (value) => value,
          ),
        ],
  // As usual.
  (series) => [series],
];

function at20(value: number, at: number): number {
  return at > 20 ? value + 300 : value;
}

function nameOf({ labels }: MadeUpSeries): string {
  return labelOf(labels, "__name__") ?? "";
}

type Change = (value: number, at: number) => number;

function changed(series: MadeUpSeries, ready: Change, time: Change): MadeUpSeries {
  const changes: Readonly<Record<string, Change>> = {
    kube_pod_status_ready: ready,
    kube_pod_status_ready_time: time,
  };
  const change = changes[nameOf(series)];
  if (change === undefined) return series;
  const samples = series.samples.map(
    ([atMs, value], at) => [atMs, value === "stale" ? value : change(value, at)] as const,
  );
  return { ...series, samples };
}

/** Some scrapes were lost. */
function isLost(atMs: number): boolean {
  return Math.floor(atMs / scrapeMs) % 97 === 0;
}

function planted(): readonly MadeUpSeries[] {
  const positions = new Map(day.pods.map(({ name }, at) => [name, at]));
  return day.series
    .flatMap((series) => {
      const at = positions.get(labelOf(series.labels, "pod") ?? "");
      return at === undefined ? [series] : (oddities[at % oddities.length]?.(series) ?? []);
    })
    .map(({ labels, samples }) => ({
      labels,
      samples: samples.filter(([atMs, value]) => value === "stale" || !isLost(atMs)),
    }));
}

async function write(real: RealPrometheus, series: readonly MadeUpSeries[]): Promise<void> {
  const sliceMs = 1_800_000;
  for (let at = fromMs; at < day.toMs; at += sliceMs) {
    const part = series.map(({ labels, samples }) => ({
      labels,
      samples: samples.filter(([atMs]) => atMs >= at && atMs < at + sliceMs),
    }));
    await real.write(part.filter(({ samples }) => samples.length > 0));
  }
}

beforeAll(async () => {
  if (binary === undefined) return;
  prometheus = await startRealPrometheus(binary);
  await write(prometheus, planted());
  client = createPrometheusClient({ url: prometheus.url });
  const span = { fromMs, toMs: day.toMs };
  read = await readHistory({ client, object: hpa, span, nowMs: () => day.toMs, level: "status" });
});
afterAll(async () => {
  await client?.close();
  await prometheus?.stop();
});

// `npm test` brings it where the distribution has it.
describe.skipIf(binary === undefined)("the readiness of pods", () => {
  test("is the same as by all samples, whatever happens to a pod", async () => {
    const lengthMs = day.toMs - fromMs;
    const all = await client.query(`{__name__=~"kube_pod_.*",condition=~"|true"}[${lengthMs}ms]`, {
      atMs: day.toMs,
    });
    const target = { namespace: "default", kind: "Deployment", name: "shop" };
    const known = podsOf(joined([compactSeries(all)]), { target, maxPods: 1000, scrapeMs });
    expect(known.length).toBe(day.pods.length);
    expect(read.recording.pods).toEqual(known);
  });

  test("is read of those pods that need it alone", () => {
    // Of each of the two days three, and the samples of the odd pods.
    expect(read.requests).toBe(8);
  });
});
