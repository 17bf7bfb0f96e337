// Evaluate, the second step: core's decision as a plan. Pure.
import {
  type ControllerOptions,
  type DecideInput,
  type DecideResult,
  type DecisionMode,
  type HpaMemory,
  withFailedRescale,
} from "@plimsoll/core";
import { type Ownership, reclaimOf } from "../../objects/ownership.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import { modeAt, type WlaExtras } from "../../objects/wla-extras.ts";
import type { Conflict, ConflictLimits, ForeignWrite } from "../conflicts/conflict.ts";
import { foreignStatus, scaleConflict } from "../conflicts/foreign-writer.ts";
import { type CurrentDeps, modeOf } from "../current-object.ts";
import type { Observation } from "../observe.ts";
import type { Yielded } from "../remember/state.ts";
import { withoutOwn } from "./own-conditions.ts";
import type { Plan, ScaleFailure } from "./plan.ts";
import { memoryOf } from "./recovered-memory.ts";
import { statusAndEvents } from "./status-and-events.ts";

/** Core's `decide`, or one with the same contract. */
export type Decide = (input: DecideInput, memory?: HpaMemory) => DecideResult;

export interface EvaluateDeps extends ConflictLimits, Pick<CurrentDeps, "manageHpas" | "clock"> {
  readonly decide: Decide;
  readonly options: Partial<ControllerOptions>;
}

/** Makes the plan for an observation: who manages the object, what core decides, and what is to be written. Pure. */
export function evaluate(observation: Observation, deps: EvaluateDeps): Plan {
  const { object, state } = observation;
  const before = modeOf(object, state, deps);
  const conflict = conflictOf(observation, before, deps);
  const yielded = conflict.foreign === undefined ? state.yielded : yieldedTo(conflict.foreign, object);
  const mode = yielded === undefined ? before : "shadow";
  const input = inputOf(observation, mode, deps.options);
  const memory = memoryOf(observation, state, mode);
  const decided = deps.decide(input, memory);
  const base = { observation, mode, conflict, yielded, input, memory, decided };
  const { scaleTo } = decided.decision;
  if (mode === "shadow") return planOf(base, { failure: undefined, scaleTo: undefined, outcome: "shadow" });
  const { conflictingObjects } = observation;
  if (scaleTo !== undefined && conflictingObjects.length > 0) {
    const message = `the target is claimed by several objects: ${conflictingObjects.join(" ")}`;
    return planOf(base, { failure: { message }, scaleTo: undefined, outcome: "withheld" });
  }
  return planOf(base, { failure: undefined, scaleTo, outcome: "nothing-to-do" });
}

/** The plan after its scale write failed. */
export function withScaleFailure(plan: Plan, failure: ScaleFailure): Plan {
  return planOf(plan, { ...plan, failure });
}

type PlanBase = Pick<Plan, "observation" | "mode" | "conflict" | "yielded" | "input" | "memory" | "decided">;

function planOf(base: PlanBase, made: Pick<Plan, "failure" | "scaleTo" | "outcome">): Plan {
  const { decided } = base;
  const { failure } = made;
  const result =
    failure === undefined ? decided : withFailedRescale(decided, failure.message, failure.isUncertain);
  return { ...base, ...made, ...statusAndEvents(base, result) };
}

function conflictOf(observation: Observation, mode: Ownership, limits: ConflictLimits): Conflict {
  const { stored, state, scale, replicasWriter, nowMs } = observation;
  const { lastScale, disputes } = state;
  const none: Conflict = { foreign: undefined, overwritten: undefined, lastScale, disputes };
  if (mode === "shadow") return none;
  const ofScale = scale.ok
    ? scaleConflict(state, { found: scale.specReplicas, writer: replicasWriter, nowMs }, limits)
    : none;
  return { ...ofScale, foreign: ofScale.foreign ?? foreignStatus(stored, state) };
}

function yieldedTo(foreign: ForeignWrite, object: ScalingObject): Yielded {
  return { ...foreign, reclaim: reclaimOf(object) };
}

function inputOf(
  observation: Observation,
  mode: Ownership,
  options: Partial<ControllerOptions>,
): DecideInput {
  const { object, nowMs, scale, pods, samples, ambiguousWith } = observation;
  const common = {
    nowMs,
    scale,
    pods,
    samples,
    ...(ambiguousWith.length === 0 ? {} : { ambiguousWith }),
  };
  if (object.kind === "HorizontalPodAutoscaler") {
    const hpa = hpaOf(object, object.status);
    return { ...common, hpa, options, mode: mode === "active" ? "Active" : "Shadow" };
  }
  const { wla } = object;
  return {
    ...common,
    hpa: hpaOf(object, withoutOwn(object.status)),
    options: { ...options, ...optionsOf(wla) },
    schedules: wla.scheduled,
    failurePolicies: wla.failurePolicies,
    mode: decisionMode(wla, mode, nowMs),
  };
}

/** What core reads of an object: annotations may be long, and the input is kept with the decision. */
function hpaOf({ kind, metadata, spec }: ScalingObject, status: ScalingObject["status"]): DecideInput["hpa"] {
  const { namespace, name, uid, generation } = metadata;
  return { kind, metadata: { namespace, name, uid, generation }, spec, status };
}

/** An object that is refused, or left to another controller, is only looked at, as in mode Shadow. */
function decisionMode(wla: WlaExtras, mode: Ownership, nowMs: number): DecisionMode {
  if (mode === "active") return "Active";
  return modeAt(wla, nowMs) === "Paused" ? "Paused" : "Shadow";
}

function optionsOf({ tuning }: WlaExtras): Partial<ControllerOptions> {
  const { syncPeriodMs: _, ...options } = tuning;
  return options;
}
