// The status of an autoscaler at each scrape: one scrape has the whole of one decision.
import { labelOf } from "@plimsoll/prometheus";
import type { StatusTriple } from "../replay/recording.ts";
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
  for (const [from, scrapes] of desired) {
    const [before, isActive] = [current.get(from), active.get(from)];
    const values = metrics.map((of) => of.get(from));
    for (const [atMs, desiredReplicas] of scrapes) {
      const currentReplicas = before?.get(atMs);
      if (currentReplicas === undefined) continue;
      const scalingActive = isActive?.get(atMs);
      status.set(atMs, {
        atMs,
        currentReplicas,
        desiredReplicas,
        values: values.map((of) => of?.get(atMs)),
        ...(scalingActive === undefined ? {} : { scalingActive: scalingActive === 1 }),
      });
    }
  }
  return { status: [...status.values()].toSorted((a, b) => a.atMs - b.atMs), lost };
}

/** By the process that was scraped, and the instant, which all series of a scrape have in common. */
type ByScrape = ReadonlyMap<string, ReadonlyMap<number, number>>;

function valuesAt(tracks: readonly Track[]): ByScrape {
  const found = new Map<string, Map<number, number>>();
  for (const track of tracks) {
    const own = scrapesOf(found, track);
    for (const [n, atMs] of track.atMs.entries()) {
      const value = track.values[n] ?? Number.NaN;
      if (Number.isFinite(value)) own.set(atMs, value);
    }
  }
  return found;
}

function scrapesOf(found: Map<string, Map<number, number>>, track: Track): Map<number, number> {
  const from = scrapedFrom(track);
  const own = found.get(from) ?? new Map<number, number>();
  found.set(from, own);
  return own;
}

/** 1 and 0: kube-state-metrics has a series for each status, ours only that which counts. */
function activeAt(tracks: readonly Track[]): ByScrape {
  const found = new Map<string, Map<number, number>>();
  for (const track of tracks) {
    const is = labelOf(track.labels, "status") === "true" ? 1 : 0;
    const own = scrapesOf(found, track);
    for (const [n, atMs] of track.atMs.entries()) if (track.values[n] === 1) own.set(atMs, is);
  }
  return found;
}
