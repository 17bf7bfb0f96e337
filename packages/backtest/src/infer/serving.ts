// How many pods took requests over time, out of their recorded readiness.
import { lastAtOrBefore } from "@plimsoll/simulator/parts";
import type { OpenSpan, RecordedPod, RecordedSpan, RecordedStep } from "../replay/recording.ts";

/** The pods that served. */
export interface Serving {
  /** When their number changed, in time. */
  readonly instants: readonly number[];
  at(atMs: number): number;
  /** ∫ 1/pods over a span, in milliseconds; where no pod served, nothing is added. */
  shareOf(fromMs: number, toMs: number): number;
  /** ∫ pods over a span, in milliseconds. */
  podMs(fromMs: number, toMs: number): number;
  /** When a pod served; without an end it still does. */
  spansOf(name: string): readonly OpenSpan[];
}

/** Integrals from the first change until one; what is between two changes is constant. */
interface Integral {
  readonly values: readonly number[];
  at(atMs: number): number;
}

/** A pod serves from Ready until it is not Ready, or asked to go. */
export function createServing(pods: readonly RecordedPod[]): Serving {
  const spans = new Map<string, OpenSpan[]>();
  const moves: { readonly atMs: number; readonly by: number }[] = [];
  for (const pod of pods) {
    const own = servedSpans(pod);
    spans.set(pod.name, [...(spans.get(pod.name) ?? []), ...own]);
    for (const { fromMs, toMs = Infinity } of own) {
      moves.push({ atMs: fromMs, by: 1 });
      if (toMs !== Infinity) moves.push({ atMs: toMs, by: -1 });
    }
  }
  moves.sort((a, b) => a.atMs - b.atMs);
  const instants = moves.map(({ atMs }) => atMs);
  const counts: number[] = [];
  for (const { by } of moves) counts.push((counts.at(-1) ?? 0) + by);
  const shares = integralOf(instants, counts, (count) => (count > 0 ? 1 / count : 0));
  const sums = integralOf(instants, counts, (count) => count);
  return {
    instants,
    at: (atMs) => counts[lastAtOrBefore(instants, atMs)] ?? 0,
    shareOf: (fromMs, toMs) => shares.at(toMs) - shares.at(fromMs),
    podMs: (fromMs, toMs) => sums.at(toMs) - sums.at(fromMs),
    spansOf: (name) => spans.get(name) ?? [],
  };
}

/** Where a recording has no pods, those of its count: Ready at once. */
export function podsOfCount(
  scale: readonly RecordedStep[],
  { fromMs }: RecordedSpan,
): readonly RecordedPod[] {
  const pods: { createdMs: number; deletedMs?: number }[] = [];
  const open: (typeof pods)[number][] = [];
  for (const { atMs, value } of scale) {
    const beginMs = pods.length === 0 ? Math.min(atMs, fromMs - beforeMs) : atMs;
    while (open.length < value) {
      const pod = { createdMs: beginMs };
      pods.push(pod);
      open.push(pod);
    }
    for (const pod of open.splice(Math.max(0, value))) pod.deletedMs = atMs;
  }
  return pods.map((pod, at) => ({
    ...pod,
    name: `replica-${at}`,
    ready: [{ fromMs: pod.createdMs }],
    requests: {},
    uncertaintyMs: 0,
  }));
}

/** Windows reach back before the recording. */
const beforeMs = 3_600_000;

function servedSpans({ ready, deletedMs = Infinity }: RecordedPod): readonly OpenSpan[] {
  return ready.flatMap(({ fromMs, toMs = Infinity }) => {
    const untilMs = Math.min(toMs, deletedMs);
    if (untilMs <= fromMs) return [];
    return [untilMs === Infinity ? { fromMs } : { fromMs, toMs: untilMs }];
  });
}

function integralOf(
  instants: readonly number[],
  counts: readonly number[],
  of: (count: number) => number,
): Integral {
  const values: number[] = [0];
  for (let at = 1; at < instants.length; at++) {
    const lengthMs = (instants[at] ?? 0) - (instants[at - 1] ?? 0);
    values.push((values[at - 1] ?? 0) + of(counts[at - 1] ?? 0) * lengthMs);
  }
  return {
    values,
    at(atMs) {
      const last = lastAtOrBefore(instants, atMs);
      if (last < 0) return 0;
      return (values[last] ?? 0) + of(counts[last] ?? 0) * (atMs - (instants[last] ?? 0));
    },
  };
}
