// The status of an autoscaler at each scrape: one scrape has the whole of one decision.
import { labelOf } from "@plimsoll/prometheus";
import type { StatusTriple } from "@plimsoll/simulator";
import { metricTracks } from "./hpa-metrics.ts";
import { type HpaSeries, scrapedFrom } from "./hpa-series.ts";
import type { Manifest } from "./manifest.ts";
import type { Track } from "./track.ts";

/** Scrapes with a count before and after; the metrics that have values in none say why. */
export function statusOf(
  manifest: Manifest,
  series: HpaSeries,
): { readonly status: readonly StatusTriple[]; readonly lost: ReadonlyMap<number, string> } {
  const { byIndex, lost } = metricTracks(manifest, series, "status_target_metric");
  const current = valuesAt(series.families.get("status_current_replicas") ?? []);
  const desired = valuesAt(series.families.get("status_desired_replicas") ?? []);
  const active = activeAt(series.families.get("status_condition") ?? []);
  const metrics = manifest.metrics.map(({ index }) => valuesAt(byIndex.get(index) ?? []));
  const status = new Map<number, StatusTriple>();
  for (const [key, { atMs, value: desiredReplicas }] of desired) {
    const before = current.get(key);
    if (before === undefined) continue;
    const isActive = active.get(key);
    status.set(atMs, {
      atMs,
      currentReplicas: before.value,
      desiredReplicas,
      values: metrics.map((values) => values.get(key)?.value),
      ...(isActive === undefined ? {} : { scalingActive: isActive }),
    });
  }
  return { status: [...status.values()].toSorted((a, b) => a.atMs - b.atMs), lost };
}

type ByScrape = ReadonlyMap<string, { readonly atMs: number; readonly value: number }>;

/** By process and instant, which all series of a scrape have in common. */
function valuesAt(tracks: readonly Track[]): ByScrape {
  const found = new Map<string, { atMs: number; value: number }>();
  for (const track of tracks) {
    const from = scrapedFrom(track);
    for (const [n, atMs] of track.atMs.entries()) {
      const value = track.values[n] ?? Number.NaN;
      if (Number.isFinite(value)) found.set(`${from} ${atMs}`, { atMs, value });
    }
  }
  return found;
}

/** kube-state-metrics has a series for each status, ours only that which counts. */
function activeAt(tracks: readonly Track[]): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  for (const track of tracks) {
    const status = labelOf(track.labels, "status") ?? "";
    for (const [key, { value }] of valuesAt([track])) if (value === 1) found.set(key, status === "true");
  }
  return found;
}
