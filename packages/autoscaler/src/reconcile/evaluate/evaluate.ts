// Evaluate, the second step: core's decision as a plan. Pure.
import {
  type ControllerOptions,
  type DecideInput,
  type DecisionMode,
  type HpaMemory,
  instantMs,
  recoverMemory,
  withFailedRescale,
} from "@plimsoll/core";
import { boundsOf } from "@plimsoll/decisions";
import { unpackMemory } from "../../decisions/packed-memory.ts";
import type { Decide } from "../../decisions/stored-decision.ts";
import type { Ownership } from "../../objects/ownership.ts";
import { periodOf, type ScalingObject } from "../../objects/scaling-object.ts";
import { modeAt, type WlaExtras } from "../../objects/wla-extras.ts";
import type { Conflict, ConflictLimits } from "../conflicts/conflict.ts";
import { contestText, withoutContest } from "../conflicts/conflict-text.ts";
import {
  followed,
  isAutoscaler,
  nextWriteMs,
  scaleConflict,
  statusConflict,
} from "../conflicts/foreign-writer.ts";
import { type CurrentDeps, modeOf } from "../current-object.ts";
import type { Observation } from "../observe.ts";
import type { ObjectState } from "../remember/state.ts";
import { withoutOwn } from "./own-conditions.ts";
import type { Plan, ScaleFailure } from "./plan.ts";
import { statusAndEvents } from "./status-and-events.ts";

export interface EvaluateDeps extends ConflictLimits, Pick<CurrentDeps, "manageHpas" | "clock"> {
  readonly decide: Decide;
  readonly options: Partial<ControllerOptions>;
}

/** Makes the plan for an observation: who manages the object, what core decides, and what is to be written. Pure. */
export function evaluate(observation: Observation, deps: EvaluateDeps): Plan {
  const { object, state } = observation;
  const before = modeOf(object, state, deps);
  const conflict = conflictOf(observation, before, deps);
  const mode = conflict.yielded === undefined ? before : "shadow";
  const input = inputOf(observation, mode, deps.options);
  const memory = memoryOf(observation, state, mode);
  const decided = deps.decide(input, memory);
  const base = { observation, mode, conflict, input, memory, decided };
  const { scaleTo } = decided.decision;
  if (mode === "shadow") return planOf(base, { failure: undefined, scaleTo: undefined, outcome: "shadow" });
  const message = scaleTo === undefined ? undefined : withheldBecause(base, scaleTo);
  if (message !== undefined)
    return planOf(base, { failure: { message }, scaleTo: undefined, outcome: "withheld" });
  return planOf(base, { failure: undefined, scaleTo, outcome: "nothing-to-do" });
}

/** A pod that cannot be read is one that is not counted: fewer pods call for fewer replicas. */
function withheldBecause(base: PlanBase, scaleTo: number): string | undefined {
  const { conflictingObjects, unreadPod } = base.observation;
  if (conflictingObjects.length > 0)
    return `several objects scale this target: ${conflictingObjects.join(" ")}`;
  const contested = contestedBecause(base, scaleTo);
  if (contested !== undefined) return contested;
  const isDown = scaleTo < base.decided.decision.currentReplicas;
  return isDown && unreadPod !== undefined ? `not scaled down: ${unreadPod}` : undefined;
}

/** A target outside of its bounds is brought inside whatever another client does about it. */
function contestedBecause(
  { observation, conflict: { contest }, decided }: PlanBase,
  to: number,
): string | undefined {
  if (contest === undefined) return undefined;
  const { object, nowMs } = observation;
  const { currentReplicas: from, trace } = decided.decision;
  const { min, max } = boundsOf(trace, object.spec);
  const atMs = nextWriteMs(contest, { from, to });
  return from < min || from > max || nowMs >= atMs ? undefined : contestText(contest, atMs);
}

/** The plan after its scale write failed. */
export function withScaleFailure(plan: Plan, failure: ScaleFailure): Plan {
  return planOf(plan, { ...plan, failure });
}

type PlanBase = Pick<Plan, "observation" | "mode" | "conflict" | "input" | "memory" | "decided">;

function planOf(base: PlanBase, made: Pick<Plan, "failure" | "scaleTo" | "outcome">): Plan {
  const { decided } = base;
  const { failure } = made;
  const result =
    failure === undefined ? decided : withFailedRescale(decided, failure.message, failure.isUncertain);
  return { ...base, ...made, ...statusAndEvents(base, result) };
}

function conflictOf(observation: Observation, mode: Ownership, deps: ConflictLimits): Conflict {
  const { object, stored, state, scale, replicasWriter, nowMs } = observation;
  const limits = { ...deps, periodMs: periodOf(object) ?? deps.periodMs };
  const { contest, lastScale, lastWritten, yielded } = state;
  const none: Conflict = {
    yielded: yielded && followed({ lastWritten, yielded }, stored, nowMs),
    suspect: state.suspect,
    contest,
    overwritten: undefined,
    lastScale,
  };
  if (mode === "shadow") return none;
  const ofScale = scale.ok
    ? scaleConflict(state, { found: scale.specReplicas, writer: replicasWriter, nowMs }, limits)
    : none;
  return { ...none, ...ofScale, ...statusConflict(state, stored, { ...limits, nowMs }) };
}

/** What to decide with: what is remembered and, of an object that is new to us, what can be recovered. */
export function memoryOf(
  observation: Observation,
  state: ObjectState,
  mode: Ownership,
): HpaMemory | undefined {
  const memory = state.memory === undefined ? undefined : unpackMemory(state.memory);
  const { object, scale, nowMs, replicasWriter } = observation;
  if (!scale.ok || (mode === "active" && state.isManaged)) return memory;
  const writtenAtMs =
    replicasWriter !== undefined && isAutoscaler(replicasWriter) ? instantMs(replicasWriter.at) : undefined;
  // In shadow replicas that no status announced were set by a person, and not by the managing controller.
  const replicas = mode === "active" ? scale.specReplicas : (object.status?.desiredReplicas ?? 0);
  const recovered = recoverMemory({ hpa: object, replicas, writtenAtMs, nowMs });
  const base = memory ?? recovered;
  if (base === undefined) return undefined;
  const { unknownHistory: _, ...known } = base;
  const unknownHistory = mode === "active" ? recovered?.unknownHistory : undefined;
  return unknownHistory === undefined ? known : { ...known, unknownHistory };
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
    const hpa = hpaOf(object, withoutContest(object.status));
    return { ...common, hpa, options, mode: mode === "active" ? "Active" : "Shadow" };
  }
  const { wla } = object;
  return {
    ...common,
    hpa: hpaOf(object, withoutContest(withoutOwn(object.status))),
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
