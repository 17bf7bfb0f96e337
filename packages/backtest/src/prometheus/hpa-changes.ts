// How the specification changed in time, and whether the manifest is that of the series.
import type { RecordedSpan, SpecChange } from "../replay/recording.ts";
import { HistoryError, instantText } from "./errors.ts";
import { metricTracks } from "./hpa-metrics.ts";
import type { HpaSeries } from "./hpa-series.ts";
import type { Manifest } from "./manifest.ts";
import { stepsOf, type Track, type ValueStep } from "./track.ts";

/** A field of the specification that is in a series. */
interface Field {
  readonly field: SpecChange["field"];
  readonly metricIndex?: number;
  /** As in the manifest, for messages. */
  readonly path: string;
  readonly series: string;
  readonly given: number;
  readonly tracks: readonly Track[];
}

/** What a change of a number is, so that rounding is none. */
const minDifference = 1e-6;

/** The changes in time; those before the span make the manifest what it was then. */
export interface Changes {
  readonly changes: readonly SpecChange[];
  readonly notes: readonly string[];
}

/** @throws HistoryError where the newest value of a series is not that of the manifest */
export function changesOf(manifest: Manifest, series: HpaSeries, span: RecordedSpan): Changes {
  const notes: string[] = [];
  const fields = [...boundsOf(manifest, series), ...targetsOf(manifest, series)];
  const contradictions = fields.flatMap((field) => contradictionOf(field));
  if (contradictions.length > 0) throw new HistoryError("contradiction", contradictions.join("; "));
  const changes = fields.flatMap((field) => changesOfField(field, span));
  const tolerances = toleranceChanges(series, notes, span.fromMs);
  const known = [...changes, ...tolerances];
  const generations = generationsOf(series).filter(
    ({ atMs, earliestMs }) =>
      !known.some((one) => one.atMs >= earliestMs && one.earliestMs <= atMs && one.atMs > span.fromMs),
  );
  for (const { atMs } of generations) {
    notes.push(
      `the generation changed until ${instantText(atMs)} without bounds or targets: behavior may have changed here`,
    );
  }
  const all = [...known, ...generations].toSorted((a, b) => a.atMs - b.atMs);
  return { changes: all, notes };
}

function boundsOf({ hpa }: Manifest, { families }: HpaSeries): readonly Field[] {
  const { minReplicas = 1, maxReplicas } = hpa.spec;
  const bound = (field: "minReplicas" | "maxReplicas", name: string, given: number): Field => ({
    field,
    path: `spec.${field}`,
    series: name,
    given,
    tracks: families.get(name) ?? [],
  });
  return [
    bound("minReplicas", "spec_min_replicas", minReplicas),
    bound("maxReplicas", "spec_max_replicas", maxReplicas),
  ];
}

function targetsOf(manifest: Manifest, series: HpaSeries): readonly Field[] {
  const { byIndex } = metricTracks(manifest, series, "spec_target_metric");
  return manifest.metrics.map(({ index, name, target }) => ({
    field: "target",
    metricIndex: index,
    path: `spec.metrics[${index}] (${name})`,
    series: "spec_target_metric",
    given: target,
    tracks: byIndex.get(index) ?? [],
  }));
}

function contradictionOf({ path, series, given, tracks }: Field): readonly string[] {
  const last = stepsOf(tracks).at(-1);
  if (last === undefined || isSame(last.value, given)) return [];
  const newest = Math.max(...tracks.map(({ atMs }) => atMs.at(-1) ?? 0));
  const when = `${series} was ${last.value} from ${instantText(last.atMs)} to ${instantText(newest)}`;
  return [`${path} ${given} of the manifest differs from the series: ${when}: use the manifest of that time`];
}

/** The manifest is the newest state: where the span began with another, that is a change at its start. */
function changesOfField(
  { field, metricIndex, given, tracks }: Field,
  { fromMs }: RecordedSpan,
): readonly SpecChange[] {
  const own = { field, ...(metricIndex === undefined ? {} : { metricIndex }) };
  const steps = stepsOf(tracks);
  return steps.flatMap(({ atMs, earliestMs, value }, at) => {
    if (at > 0) return [{ ...own, atMs, earliestMs, value }];
    return steps.length === 1 || isSame(value, given)
      ? []
      : [{ ...own, atMs: fromMs, earliestMs: fromMs, value }];
  });
}

function toleranceChanges({ families }: HpaSeries, notes: string[], fromMs: number): readonly SpecChange[] {
  const [firstUp, ...up] = stepsOf(families.get("spec_behavior_scale_up_tolerance") ?? []);
  const [firstDown, ...down] = stepsOf(families.get("spec_behavior_scale_down_tolerance") ?? []);
  const isBoth = (step: ValueStep): boolean =>
    down.some(({ atMs, value }) => atMs === step.atMs && value === step.value);
  const both = up.filter(isBoth);
  for (const { atMs } of [...up, ...down].filter((step) => !both.some((one) => one.atMs === step.atMs))) {
    notes.push(
      `the tolerance of one direction changed until ${instantText(atMs)}: decisions before it are compared with today's`,
    );
  }
  // The manifest has the newest: before its first change it was another.
  const isOne = both.length > 0 && firstUp !== undefined && firstUp.value === firstDown?.value;
  const first = isOne ? [{ atMs: fromMs, earliestMs: fromMs, value: firstUp.value }] : [];
  return [...first, ...both].map((step) => ({ field: "tolerance", ...step }));
}

function generationsOf({ families }: HpaSeries): readonly SpecChange[] {
  const steps = stepsOf(families.get("metadata_generation") ?? []).slice(1);
  return steps.map((step) => ({ field: "generation", ...step }));
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= minDifference * Math.max(1, Math.abs(a), Math.abs(b));
}
