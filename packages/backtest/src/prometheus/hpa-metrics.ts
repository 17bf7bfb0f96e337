// Which of spec.metrics a series of kube-state-metrics, or of ours, is about.
import { labelOf } from "@plimsoll/prometheus";
import type { HpaSeries } from "./hpa-series.ts";
import type { Manifest, MetricFacts } from "./manifest.ts";
import type { Track } from "./track.ts";

/** The tracks of each metric by its position, and why some metrics have none. */
export interface MetricTracks {
  readonly byIndex: ReadonlyMap<number, readonly Track[]>;
  readonly lost: ReadonlyMap<number, string>;
}

/** `family` is spec_target_metric or status_target_metric. */
export function metricTracks(
  manifest: Manifest,
  { source, families }: HpaSeries,
  family: string,
): MetricTracks {
  const tracks = families.get(family) ?? [];
  const hasContainers = tracks.some(({ labels }) => ownContainer(labels) !== "");
  const byIndex = new Map<number, readonly Track[]>();
  const lost = new Map<number, string>();
  for (const facts of manifest.metrics) {
    const other = manifest.metrics.find((one) => one !== facts && isSame(facts, one, hasContainers));
    if (source === "kube-state-metrics" && other !== undefined) {
      lost.set(
        facts.index,
        `spec.metrics[${facts.index}] and [${other.index}] are both named ${facts.name}, but ${family} has one series for both`,
      );
      continue;
    }
    const found = tracks.filter((track) =>
      source === "plimsoll"
        ? labelOf(track.labels, "metric_index") === String(facts.index)
        : isOf(track, facts, hasContainers),
    );
    if (found.length > 0) byIndex.set(facts.index, found);
    else lost.set(facts.index, `${family} has no series of ${facts.name} (${facts.type})`);
  }
  return { byIndex, lost };
}

/** Of a ContainerResource metric, since kube-state-metrics 2.19; not the container that was scraped. */
function ownContainer(labels: Track["labels"]): string {
  const [own, exported] = [labelOf(labels, "container") ?? "", labelOf(labels, "exported_container") ?? ""];
  return exported === "" && labelOf(labels, "pod") === undefined ? own : exported;
}

function isSame(a: MetricFacts, b: MetricFacts, hasContainers: boolean): boolean {
  return a.name === b.name && (!hasContainers || (a.container ?? "") === (b.container ?? ""));
}

function isOf({ labels }: Track, facts: MetricFacts, hasContainers: boolean): boolean {
  if (labelOf(labels, "metric_name") !== facts.name) return false;
  if (labelOf(labels, "metric_target_type") !== facts.type) return false;
  return !hasContainers || ownContainer(labels) === (facts.container ?? "");
}
