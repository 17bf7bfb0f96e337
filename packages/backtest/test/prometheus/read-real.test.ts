// The history of a made-up day out of the real Prometheus, against what is known of that day.
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, startRealPrometheus, type WrittenSeries } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRecordingReader, recordingLines } from "../../src/index.ts";
import { anonymize, type HistoryRead, readHistory } from "../../src/prometheus/index.ts";
import { fromMs, hpa, madeUpDay } from "../../src/testing/index.ts";

const binary = process.env["PROMETHEUS"];
const hours = 8;
const day = madeUpDay(hours);
let prometheus: RealPrometheus | undefined;
let client: PrometheusClient;
let read: HistoryRead;

/** A head takes samples of about the same time only. */
async function write(real: RealPrometheus, series: readonly WrittenSeries[]): Promise<void> {
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
  await write(prometheus, day.series);
  client = createPrometheusClient({ url: prometheus.url });
  const span = { fromMs, toMs: day.toMs };
  read = await readHistory({ client, object: hpa, span, nowMs: () => day.toMs, level: "status" });
});
afterAll(async () => {
  await client?.close();
  await prometheus?.stop();
});

// `npm test` brings it where the distribution has it.
describe.skipIf(binary === undefined)("a day in the real Prometheus", () => {
  test("each scrape of the status is one decision, whole", () => {
    expect(read.recording.status.length).toBeGreaterThan(1900);
    expect(read.recording.status).toEqual(day.status);
  });

  test("pods have the instants of the API, whatever the scrapes", () => {
    const asKnown = ({ name, createdMs, ready, deletedMs }: (typeof day.pods)[number]) => ({
      name,
      createdMs,
      ready,
      ...(deletedMs === undefined ? {} : { deletedMs }),
    });
    expect(day.pods.length).toBeGreaterThan(20);
    expect(read.recording.pods.map(asKnown)).toEqual(
      day.pods.toSorted((a, b) => a.createdMs - b.createdMs || (a.name < b.name ? -1 : 1)).map(asKnown),
    );
    expect(read.recording.pods[0]?.requests).toEqual({ app: { cpu: "500m" } });
  });

  test("the count changes between the two scrapes around each change", () => {
    const [, ...changes] = read.recording.scale;
    const known = day.counts.filter(({ atMs }) => atMs > (read.recording.scale[0]?.atMs ?? 0));
    expect(changes.map(({ value }) => value)).toEqual(known.map(({ value }) => value));
    for (const [n, { atMs, earliestMs }] of changes.entries()) {
      expect(known[n]?.atMs).toBeGreaterThan(earliestMs);
      expect(known[n]?.atMs).toBeLessThanOrEqual(atMs);
    }
  });

  test("the clock is recovered to less than a second", () => {
    const { syncs } = read.recording;
    expect(syncs.clock).toBe("recovered");
    expect(Math.abs(syncs.atMs.length - day.syncs.length)).toBeLessThanOrEqual(1);
    const far = syncs.atMs.filter((atMs) => !day.syncs.some((sync) => Math.abs(sync - atMs) < 1000));
    expect(far.length).toBeLessThan(syncs.atMs.length / 100);
  });

  test("a day takes three requests, so that a week of status takes 21", () => {
    expect(read.requests).toBe(3);
  });

  test("the recording is one that the simulator reads, and names can be taken out of it", () => {
    const anonymous = anonymize(read.recording);
    expect(JSON.stringify(anonymous)).not.toContain("shop");
    const reader = createRecordingReader();
    for (const line of recordingLines(anonymous)) reader.add(line.trimEnd());
    expect(reader.end().status).toEqual(day.status);
  });

  test("--query reads a metric at the instants of the decisions", async () => {
    const span = { fromMs: fromMs + 3_600_000, toMs: fromMs + 4 * 3_600_000 };
    const queries = { load: "kube_pod_created * 0 + 1" };
    const { recording } = await readHistory({ client, object: hpa, span, queries, nowMs: () => day.toMs });
    const [metric] = recording.metrics;
    expect(metric?.level).toBe("series");
    const isAtSyncs = metric?.samples.every(({ atMs }) => recording.syncs.atMs.includes(atMs));
    expect(recording.syncs.clock === "unknown" || isAtSyncs).toBe(true);
    expect(metric?.samples[10]?.values[0]).toMatchObject({ value: 1 });
  });

  test("a bound of the manifest that the series deny is refused with both and when", async () => {
    const span = { fromMs, toMs: day.toMs };
    const object = { ...hpa, spec: { ...hpa.spec, maxReplicas: 40 } };
    await expect(readHistory({ client, object, span, nowMs: () => day.toMs })).rejects.toThrow(
      "spec.maxReplicas 40 of the manifest differs from the series: spec_max_replicas was 200 from 2026-11-06T00:00:04Z",
    );
  });

  test("another name is refused with those that there are", async () => {
    const span = { fromMs, toMs: day.toMs };
    const object = { ...hpa, metadata: { name: "shopp", namespace: "default" } };
    await expect(readHistory({ client, object, span, nowMs: () => day.toMs })).rejects.toThrow(
      "default/shopp has no series in this time, but these do: default/shop",
    );
  });

  test("a span that begins before the series is refused, and read from there with --partial", async () => {
    const span = { fromMs: fromMs - 7_200_000, toMs: day.toMs };
    const options = { client, object: hpa, span, nowMs: () => day.toMs, level: "status" } as const;
    await expect(readHistory(options)).rejects.toThrow("begins at 2026-11-06T00:00:04Z");
    const { recording } = await readHistory({ ...options, isPartial: true });
    expect(recording.span.fromMs).toBe(day.status[0]?.atMs);
  });
});
