// The whole days of a recording in a time zone, and what is simulated on each.
import { instantOfLocal, type ZoneOffset } from "@plimsoll/core/schedules";
import type { Autoscaler, PointsLoad, Scenario, Workload } from "@plimsoll/simulator";
import { lastAtOrBefore, type RecordedTotal } from "@plimsoll/simulator/parts";
import { freshScenario, type LoopRequest } from "../infer/counterfactual.ts";
import type { InferredLoad } from "../infer/load.ts";
import { withResidualNoise } from "../infer/residual-noise.ts";
import { loadOf } from "../infer/series.ts";
import type { RecordedSpan, Recording } from "../replay/recording.ts";
import type { TuneDay, TuneWorld } from "./evaluate.ts";

/** A day from midnight to midnight of its time zone. */
export interface WholeDay extends RecordedSpan {
  readonly date: string;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Of the load, in its unit. */
  readonly mean: number;
  /** Of the highest minute. */
  readonly peak: number;
}

/** Days that are whole, in time, and why others are not. */
export interface DaysRead {
  readonly days: readonly WholeDay[];
  readonly leftOut: readonly { readonly date: string; readonly why: string }[];
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** The longest window that a candidate may have. */
const leadMs = 1_800_000;
/** Windows of metrics reach back before a run. */
const beforeMs = 3_600_000;

/** Days without a long gap in their samples. */
export function wholeDays(
  { span }: Pick<Recording, "span">,
  { series }: Pick<InferredLoad, "series">,
  offset: ZoneOffset,
): DaysRead {
  const [days, leftOut]: [WholeDay[], { date: string; why: string }[]] = [[], []];
  const firstLocal = Math.floor((span.fromMs + offset(span.fromMs)) / dayMs) * dayMs;
  for (let local = firstLocal; ; local += dayMs) {
    const [fromMs, toMs] = [instantOfLocal(local, offset), instantOfLocal(local + dayMs, offset)];
    if (fromMs >= span.toMs) break;
    const date = new Date(local).toISOString().slice(0, 10);
    const gapMs = series.leftOut.reduce(
      (sum, gap) => sum + Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs)),
      0,
    );
    if (fromMs < span.fromMs || toMs > span.toMs) {
      leftOut.push({ date, why: "the recording has only a part of this day" });
    } else if (gapMs > 0) {
      leftOut.push({ date, why: `${Math.ceil(gapMs / minuteMs)} min are without samples` });
    } else {
      const minutes = minutesOf(series, { fromMs, toMs });
      const mean = minutes.reduce((sum, one) => sum + one, 0) / Math.max(1, minutes.length);
      const peak = minutes.reduce((max, one) => Math.max(max, one), 0);
      days.push({ date, fromMs, toMs, weekday: new Date(local).getUTCDay(), mean, peak });
    }
  }
  return { days, leftOut };
}

/** Mean load of each minute. */
export function minutesOf(
  { fromMs: firstMs, bucketMs, perSecond }: InferredLoad["series"],
  { fromMs, toMs }: RecordedSpan,
): readonly number[] {
  const minutes: number[] = [];
  const stepMs = Math.max(minuteMs, bucketMs);
  for (let atMs = fromMs; atMs + stepMs <= toMs; atMs += stepMs) {
    const first = Math.floor((atMs - firstMs) / bucketMs);
    const end = Math.max(first + 1, Math.floor((atMs + stepMs - firstMs) / bucketMs));
    let sum = 0;
    for (let at = first; at < end; at++) sum += perSecond[at] ?? 0;
    minutes.push(sum / (end - first));
  }
  return minutes;
}

/** Each day with a lead-in, on the load with the noise that its samples average away: the same for all candidates. */
export function worldOf(request: LoopRequest, days: readonly WholeDay[], autoscaler: Autoscaler): TuneWorld {
  const { series, noise } = request.inferred;
  const load = noise === undefined ? loadOf(series) : withResidualNoise(series, noise, request.seed);
  return {
    days: days.map(({ date, fromMs, toMs }, at): TuneDay => {
      const startMs = fromMs - leadMs;
      const span = { fromMs: startMs - beforeMs, toMs };
      const own = { ...request, seed: request.seed + at };
      const segment = { fromMs: startMs, toMs, autoscaler, goesOn: false };
      return { date, fromMs, toMs, scenario: bare(freshScenario(own, segment, pointsIn(load, span)), span) };
    }),
  };
}

/** Without the autoscaler, and with that part of recorded totals that is read. */
function bare(scenario: Scenario, span: RecordedSpan): Scenario {
  return { ...scenario, workloads: scenario.workloads.map((workload) => bareWorkload(workload, span)) };
}

function bareWorkload(workload: Workload, span: RecordedSpan): Workload {
  const { autoscaler: _, ...own } = workload;
  const totals = Object.entries(own.recorded ?? {}).map(
    ([name, total]) => [name, totalIn(total, span)] as const,
  );
  return { ...own, recorded: Object.fromEntries(totals) };
}

function pointsIn({ atMs, perSecond, ...load }: PointsLoad, { fromMs, toMs }: RecordedSpan): PointsLoad {
  const first = Math.max(0, lastAtOrBefore(atMs, fromMs));
  const end = lastAtOrBefore(atMs, toMs) + 1;
  return { ...load, atMs: atMs.slice(first, end), perSecond: perSecond.slice(first, end) };
}

function totalIn({ atMs, values, ...total }: RecordedTotal, { fromMs, toMs }: RecordedSpan): RecordedTotal {
  const first = Math.max(0, lastAtOrBefore(atMs, fromMs));
  const end = lastAtOrBefore(atMs, toMs) + 1;
  return { ...total, atMs: atMs.slice(first, end), values: values.slice(first, end) };
}
