import type {
  ControllerOptions,
  DecideInput,
  DecideResult,
  Decision,
  DecisionEvent,
  HpaMemory,
} from "@plimsoll/core";
import { decideInGap, type Gap, withLastScale, withUsedUp } from "../hpa/gap.ts";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import { scheduleEvents } from "../schedules/own-status.ts";
import { decideWithPolicies, type FailurePolicyStep, type GoodReading } from "./failure-policy.ts";
import { withOwn, withoutOwn } from "./own-conditions.ts";
import { modeAt, type WlaExtras } from "./workload-autoscaler.ts";

/** One object's decision, of either kind. */
export interface Evaluated {
  readonly result: DecideResult;
  readonly steps: readonly FailurePolicyStep[];
  readonly good: readonly (GoodReading | undefined)[];
}

/** An HPA is decided as it is; a WorkloadAutoscaler with its own tuning and failure policies. */
export function evaluate(
  hpa: NativeHpa,
  input: DecideInput,
  o: {
    readonly decide: (input: DecideInput, memory?: HpaMemory) => DecideResult;
    readonly memory: HpaMemory | undefined;
    /** Of the time before this process had the object. */
    readonly gap: Gap | undefined;
    readonly good: readonly (GoodReading | undefined)[];
  },
): Evaluated {
  const { gap, memory, good } = o;
  const decide = gap === undefined ? o.decide : decideInGap(o.decide, gap);
  const told = gap === undefined ? input : withLastScale(input, gap);
  if (hpa.wla === undefined) return { result: decide(told, memory), steps: [], good: [] };
  const { wla: _, statusWriter: __, ...object } = hpa;
  const { scheduled } = hpa.wla;
  const evaluated = decideWithPolicies(
    {
      ...told,
      hpa: { ...object, status: withoutOwn(told.hpa.status) },
      options: { ...input.options, ...optionsOf(hpa.wla) },
      schedules: scheduled,
    },
    {
      decide,
      memory,
      good,
      policies: hpa.wla.failurePolicies,
      memoryOnTheWayUp: gap === undefined ? memory : withUsedUp(told, memory, { isUp: true, gap }),
    },
  );
  return scheduled === undefined ? evaluated : withEvents(evaluated, scheduleEvents(hpa, scheduled));
}

function withEvents(evaluated: Evaluated, events: readonly DecisionEvent[]): Evaluated {
  const { result } = evaluated;
  const decision = { ...result.decision, events: [...events, ...result.decision.events] };
  return { ...evaluated, result: { ...result, decision } };
}

function optionsOf({ tuning }: WlaExtras): Partial<ControllerOptions> {
  const { syncPeriodMs: _, ...options } = tuning;
  return options;
}

/** The decision with the status that a WorkloadAutoscaler shows; that of an HPA is left alone. */
export function dressed(
  hpa: NativeHpa,
  decision: Decision,
  o: {
    readonly nowMs: number;
    readonly yieldedTo: string | undefined;
    readonly rivals: readonly string[];
    readonly steps: readonly FailurePolicyStep[];
  },
): Decision {
  const { wla } = hpa;
  if (wla === undefined) return decision;
  const mode = modeAt(wla, o.nowMs);
  const isActive = mode === "Active" && o.yieldedTo === undefined && wla.problems.length === 0;
  const state = {
    mode,
    pauseReason: wla.pauseReason,
    pausedUntilMs: wla.pausedUntilMs,
    problem: wla.problems.length === 0 ? undefined : wla.problems.map(problemText).join("; "),
    yieldedTo: o.yieldedTo,
    rivals: o.rivals,
    steps: o.steps,
    scheduled: wla.scheduled,
  };
  return withOwn(isActive ? decision : imagined(decision), hpa.status, { state, nowMs: o.nowMs });
}

function problemText({ path, message }: WlaExtras["problems"][number]): string {
  return `${path}: ${message === "" ? "required" : message}`;
}

/** The status of a scale that is not made. */
function imagined(decision: Decision): Decision {
  const { scaleTo, beforeRescale } = decision;
  if (scaleTo === undefined || beforeRescale === undefined) return decision;
  const { lastScaleTime: _, ...status } = decision.status;
  const { stored } = beforeRescale;
  return {
    ...decision,
    status: {
      ...status,
      ...(stored.lastScaleTime === undefined ? {} : { lastScaleTime: stored.lastScaleTime }),
      conditions: status.conditions
        .filter(({ type }) => type !== "ScaledToZero")
        .map((condition) =>
          condition.type === "AbleToScale"
            ? { ...condition, reason: "WouldScale", message: `would update the target scale to ${scaleTo}` }
            : condition,
        ),
    },
  };
}
