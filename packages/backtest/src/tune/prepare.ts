// What a search begins with, or why there is none.
import { zoneOffset } from "@plimsoll/core/schedules";
import type { Autoscaler } from "@plimsoll/simulator";
import { type LoopRequest, unknownMetric } from "../infer/counterfactual.ts";
import { requestedOf } from "../infer/metric-target.ts";
import { usualPerPod } from "../infer/recorded-figures.ts";
import { type Counterfactual, createCounterfactual, loopRequestOf } from "../infer/what-if.ts";
import type { Parameters, ParameterValue } from "./candidate.ts";
import { type DaysRead, wholeDays } from "./days.ts";
import type { Budget } from "./figures.ts";
import { type FloorSource, loadPerPod } from "./floors.ts";
import { limitProblems } from "./read-space.ts";
import type { TuneRefusal } from "./report.ts";
import type { TuneRequest } from "./request.ts";
import { meanOf } from "./seasonal.ts";
import { type Dimension, dimensionsOf } from "./space.ts";
import { floorDays, fullDays, minDays, type Split, splitDays } from "./split.ts";
import { autoscalerOfToday, isUtilization, parametersOfToday } from "./today.ts";

/** All that does not depend on a simulation of a candidate. */
export interface Prepared {
  readonly source: FloorSource;
  readonly read: DaysRead;
  readonly split: Split;
  readonly autoscaler: Autoscaler;
  readonly today: Parameters;
  readonly dimensions: readonly Dimension[];
  readonly counterfactual: Counterfactual;
  readonly loop: LoopRequest;
  readonly budget: Budget;
  readonly isThin: boolean;
}

/** What is unknown is refused with a reason. */
export type PrepareRead =
  | { readonly ok: true; readonly prepared: Prepared }
  | { readonly ok: false; readonly refusal: TuneRefusal };

const dayS = 86_400;
const usualHotPart = 0.001;
const usualShortPart = 0.0001;
/** So much of the time a pod was able to do what it did: one bad moment does not decide what pods can take. */
const usualLoadPart = 1 - usualHotPart;

/** Simulates the recorded specification: the control run. */
export function prepare(request: TuneRequest): PrepareRead {
  const { recording, inferred, periodMs, timeZone, seed, space } = request;
  const offset = zoneOffset(timeZone);
  if (offset === undefined)
    return refused("time-zone", `timeZone ${timeZone} is not a time zone: use a value such as Europe/Berlin`);
  const problem = limitProblems(space ?? {})[0];
  if (problem !== undefined) {
    const { path, value, message, remedy } = problem;
    return refused("space", `${path} ${JSON.stringify(value)} ${message}: ${remedy}`);
  }
  const read = wholeDays(recording, inferred, offset);
  if (read.days.length < minDays) return tooFewDays(read, timeZone);
  const autoscaler = autoscalerOfToday(recording, request.autoscaler);
  const unknown = unknownMetric(autoscaler, inferred);
  if (unknown !== undefined) return refused("metric", unknown);
  const hot = hotAboveOf(request);
  if (typeof hot === "string") return refused("objective", hot);
  const split = splitDays(read.days.length);
  const training = split.training.flatMap((day) => read.days[day] ?? []);
  const options = { periodMs, seed, ...usualHotAbove(inferred, training), ...hot };
  const of = { autoscaler: request.autoscaler, inferred };
  const counterfactual = createCounterfactual(recording, of, options);
  if (!counterfactual.control.isWithinBar && request.isForced !== true) return modelError(counterfactual);
  const loop = loopRequestOf(recording, { autoscaler, inferred }, options).request;
  const source = { recording, inferred, periodMs, timeZone, offset };
  const today = parametersOfToday(autoscaler, inferred.metric.index);
  const odd = oddTarget(request, autoscaler);
  if (odd !== undefined)
    return refused(
      "space",
      `target ${odd} must be a whole percentage such as 72, because the target is a utilization`,
    );
  return {
    ok: true,
    prepared: {
      source,
      read,
      split,
      autoscaler,
      today,
      dimensions: dimensionsFor(request, { source, read, autoscaler, today, counterfactual }),
      counterfactual,
      loop,
      budget: budgetOf(request, training, loop),
      isThin: read.days.length < fullDays,
    },
  };
}

function refused(kind: TuneRefusal["kind"], message: string): PrepareRead {
  return { ok: false, refusal: { kind, message } };
}

function tooFewDays({ days, leftOut }: DaysRead, timeZone: string): PrepareRead {
  const message = `the recording has ${days.length} whole days in ${timeZone}, but a search needs ${minDays}: record a longer time`;
  return { ok: false, refusal: { kind: "too-few-days", message, days: { whole: days.length, leftOut } } };
}

function modelError({ control }: Counterfactual): PrepareRead {
  const percent = (100 * control.podHoursError).toFixed(1);
  const message = `simulating the recorded spec differs too much from the recording (pod-hours ${percent} %, peak ${control.simulated.peak} for ${control.recorded.peak}, events ${control.simulated.events} for ${control.recorded.events}): check how the metric is measured, or force the search`;
  return { ok: false, refusal: { kind: "model-error", message, control } };
}

/** In the unit of the load, or why it is unknown. */
function hotAboveOf({
  objective,
  recording,
  inferred,
}: TuneRequest): { readonly hotAbove?: number } | string {
  const { hotAbove, utilization } = objective;
  if (hotAbove !== undefined)
    return hotAbove > 0 ? { hotAbove } : `hotAbove ${hotAbove} must be a number above 0`;
  if (utilization === undefined) return {};
  if (!(utilization > 0 && utilization <= 1)) return `utilization ${utilization} must be from 0 to 1`;
  const { kind, container, name } = inferred.metric;
  if (kind !== "cpu")
    return `utilization ${utilization} is a share of the requested cpu, but the load is in ${name}: set the load above which a pod is hot`;
  const requested = requestedOf(recording.pods, "cpu", container);
  if (requested === undefined)
    return `utilization ${utilization} is a share of the requested cpu, but no pod in the recording requests cpu: set the load above which a pod is hot`;
  return { hotAbove: utilization * requested };
}

/** Where it is not given, from the training days alone; what a pod takes out of a queue is known otherwise. */
function usualHotAbove(
  inferred: TuneRequest["inferred"],
  days: DaysRead["days"],
): { readonly hotAbove?: number } {
  const perPod = usualPerPod(inferred, days, usualLoadPart);
  return inferred.capacity !== undefined || perPod === 0 ? {} : { hotAbove: perPod + inferred.idle };
}

/** A percentage with a fraction, which no specification can have. */
function oddTarget({ space, inferred }: TuneRequest, { hpa }: Autoscaler): ParameterValue | undefined {
  const limit = space?.target;
  if (limit === undefined || typeof limit === "string" || !("includes" in limit)) return undefined;
  if (!isUtilization(hpa.spec, inferred.metric.index)) return undefined;
  return limit.find((one) => !Number.isInteger(one));
}

/** From the training days alone: the others are not seen before they check it. */
function budgetOf({ objective }: TuneRequest, days: DaysRead["days"], { hotAbove }: LoopRequest): Budget {
  const podSeconds = (meanOf(days.map(({ mean }) => mean)) / hotAbove) * dayS;
  return {
    hotSeconds: objective.hotSecondsPerDay ?? usualHotPart * dayS,
    shortPodSeconds: objective.shortPodSecondsPerDay ?? usualShortPart * podSeconds,
  };
}

function dimensionsFor(
  { space, inferred }: TuneRequest,
  of: Pick<Prepared, "source" | "read" | "autoscaler" | "today" | "counterfactual">,
): readonly Dimension[] {
  const { source, read, autoscaler, today, counterfactual } = of;
  const { schedules, options } = autoscaler;
  return dimensionsOf(
    {
      today,
      isUtilization: isUtilization(autoscaler.hpa.spec, inferred.metric.index),
      isCensored: counterfactual.unknowns.some(({ kind }) => kind === "at-max"),
      isThin: read.days.length < fullDays,
      hasFloors:
        read.days.length >= floorDays &&
        schedules === undefined &&
        loadPerPod(autoscaler, source) !== undefined,
      hasTolerance: options?.semantics !== "1.32",
    },
    space,
  );
}
