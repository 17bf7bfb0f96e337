// What a pod uses of cpu when nothing is to do: it is not conserved, each pod brings its own.
import type { RecordedMetric } from "../replay/recording.ts";
import type { Measuring } from "./observations.ts";
import type { InferredSeries } from "./series.ts";
import type { Serving } from "./serving.ts";

/** Cores of a pod without load; absent where changes of the count do not show it. */
export interface Overhead {
  readonly idle: number | undefined;
  /** More than this some pod did not use. */
  readonly max: number;
}

/** Buckets that are compared at a time. */
const block = 2;
/** Of what a pod uses, so sure the idle part has to be. */
const maxError = 0.03;
/** Overlapping blocks say the same several times. */
const overlap = 2 * block;

/** How the sum of cpu moves when pods come and go, beside where it was going anyway. */
export function overheadOfChanges(series: InferredSeries, serving: Serving): Overhead {
  const { fromMs, bucketMs } = series;
  const perSecond = withoutGaps(series);
  const counts = Float64Array.from(perSecond, (_, at) => {
    const beginMs = fromMs + at * bucketMs;
    return serving.podMs(beginMs, beginMs + bucketMs) / bucketMs;
  });
  let [products, squares, sum, pods] = [0, 0, 0, 0];
  let max = Infinity;
  const jumps: { readonly cpu: number; readonly pods: number }[] = [];
  for (let at = 0; at < perSecond.length; at++) {
    const [used = 0, count = 0] = [perSecond[at], counts[at]];
    if (!Number.isFinite(used)) continue;
    sum += used;
    pods += count;
    if (count >= 1) max = Math.min(max, used / count);
    const jump = { cpu: jumpAt(perSecond, at), pods: jumpAt(counts, at) };
    if (jump.cpu === undefined || jump.pods === undefined || !Number.isFinite(jump.cpu)) continue;
    if (Math.abs(jump.pods) < 0.5) continue;
    jumps.push({ cpu: jump.cpu, pods: jump.pods });
    products += jump.cpu * jump.pods;
    squares += jump.pods * jump.pods;
  }
  const idle = products / squares;
  const rest = jumps.reduce((all, jump) => all + (jump.cpu - idle * jump.pods) ** 2, 0);
  const error = Math.sqrt((overlap * rest) / jumps.length / squares);
  const isKnown = jumps.length > overlap && error <= (maxError * sum) / pods;
  const bound = Number.isFinite(max) ? max : 0;
  return { idle: isKnown ? Math.min(bound, Math.max(0, idle)) : undefined, max: bound };
}

/** A value that fills a gap was not measured: NaN. */
function withoutGaps({ perSecond, fromMs, bucketMs, bridged, leftOut }: InferredSeries): Float64Array {
  const measured = Float64Array.from(perSecond);
  for (const gap of [...bridged, ...leftOut]) {
    const [first, end] = [gap.fromMs, gap.toMs].map((atMs) => Math.round((atMs - fromMs) / bucketMs));
    measured.fill(Number.NaN, Math.max(0, first ?? 0), end);
  }
  return measured;
}

/** Across a place, less the trend before and behind it; undefined at the ends. */
function jumpAt(values: Float64Array, at: number): number | undefined {
  if (at < 2 * block || at + 2 * block > values.length) return undefined;
  const mean = (from: number): number => {
    let sum = 0;
    for (let n = from; n < from + block; n++) sum += values[n] ?? 0;
    return sum / block;
  };
  const [first, before, after, last] = [-2, -1, 0, 1].map((n) => mean(at + n * block));
  if (first === undefined || before === undefined || after === undefined || last === undefined)
    return undefined;
  return after - before - (before - first + last - after) / 2;
}

/** Cpu of a pod out of its load: cores without load, and core seconds of each request. */
export interface CpuOfLoad {
  readonly idle: number;
  readonly perRequest: number;
}

/** Over so many samples only. */
const minSamples = 20;

/** By regression of the mean cpu of a pod on its load; undefined where the load of a pod hardly moves. */
export function cpuOfLoad(
  { samples }: Pick<RecordedMetric, "samples">,
  { perSecond, fromMs, bucketMs }: InferredSeries,
  { serving, measuring }: { readonly serving: Serving; readonly measuring: Measuring },
): CpuOfLoad | undefined {
  const { windowMs, scrapeMs } = measuring;
  let [count, loads, used, squares, products] = [0, 0, 0, 0, 0];
  for (const { atMs, values } of samples) {
    const [first] = values;
    const aboutMs = (first?.measuredMs ?? atMs) - (first?.windowMs ?? (windowMs || 2 * scrapeMs)) / 2;
    const pods = serving.at(aboutMs);
    const load = perSecond[Math.floor((aboutMs - fromMs) / bucketMs)];
    if (pods === 0 || load === undefined || values.length === 0) continue;
    const cpu = values.reduce((sum, { value }) => sum + value, 0) / values.length;
    const own = load / pods;
    count++;
    loads += own;
    used += cpu;
    squares += own * own;
    products += own * cpu;
  }
  const spread = squares - (loads * loads) / count;
  if (count < minSamples || !(spread > 1e-6 * squares)) return undefined;
  const perRequest = Math.max(0, (products - (loads * used) / count) / spread);
  return { perRequest, idle: Math.max(0, (used - perRequest * loads) / count) };
}
