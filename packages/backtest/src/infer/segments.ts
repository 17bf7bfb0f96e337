// The parts of a recording that are simulated: without the time of which nothing is known, and between two specifications.
import type { Autoscaler } from "@plimsoll/simulator";
import { createRecordedSpecs } from "../replay/recorded-specs.ts";
import type { RecordedSpan, Recording } from "../replay/recording.ts";
import type { LoopSegment } from "./counterfactual.ts";
import type { InferredLoad } from "./load.ts";

/** The span without the gaps that are too long to bridge. */
export function knownSpans(
  { span }: Pick<Recording, "span">,
  { series }: Pick<InferredLoad, "series">,
): readonly RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  let { fromMs } = span;
  for (const gap of series.leftOut) {
    if (gap.fromMs > fromMs) spans.push({ fromMs, toMs: Math.min(gap.fromMs, span.toMs) });
    fromMs = Math.max(fromMs, gap.toMs);
  }
  if (fromMs < span.toMs) spans.push({ fromMs, toMs: span.toMs });
  return spans;
}

/** One specification all the time. */
export function segmentsOf(spans: readonly RecordedSpan[], autoscaler: Autoscaler): readonly LoopSegment[] {
  return spans.map((span) => ({ ...span, autoscaler, goesOn: false }));
}

/** The recorded specification as it changed. */
export function recordedSegments(
  { autoscaler: { changes } }: Pick<Recording, "autoscaler">,
  spans: readonly RecordedSpan[],
  autoscaler: Autoscaler,
): readonly LoopSegment[] {
  const known = changes.filter(({ field }) => field !== "generation");
  if (known.length === 0) return segmentsOf(spans, autoscaler);
  const { hpa } = autoscaler;
  // Bounds of schedules are laid over by each run itself.
  const specs = createRecordedSpecs({ hpa }, known);
  const instants = [...new Set(known.map(({ atMs }) => atMs))].toSorted((a, b) => a - b);
  return spans.flatMap(({ fromMs, toMs }) => {
    const inside = instants.filter((atMs) => atMs > fromMs && atMs < toMs);
    const edges = [fromMs, ...inside, toMs];
    return edges.slice(1).map((endMs, at): LoopSegment => {
      const beginMs = edges[at] ?? fromMs;
      const { spec } = specs.read(specs.versionAt(beginMs), beginMs);
      const own = { ...autoscaler, hpa: { ...hpa, spec } };
      return { fromMs: beginMs, toMs: endMs, autoscaler: own, goesOn: at > 0 };
    });
  });
}
