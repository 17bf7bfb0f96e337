// What schedules add to an evaluation: conditions, events, and a target at zero.
import { removeCondition } from "./combine/conditions.ts";
import { type Draft, setDraftCondition, setTrue } from "./draft.ts";
import { isScaledToZero } from "./from-zero.ts";
import { scheduleConditions, scheduleEvents } from "./schedules/status-and-events.ts";
import type { Subject } from "./subject.ts";

export const scheduledToZero = "ScheduledToZero";

/**
 * Conditions and events of schedules come with every decision, also one that fails. They go when the object has no
 * schedules any more.
 */
export function announceSchedules(draft: Draft): void {
  const { schedules, stored } = draft.subject;
  if (schedules !== undefined) {
    draft.events.push(...scheduleEvents(schedules, stored));
    for (const condition of scheduleConditions(schedules)) setDraftCondition(draft, condition);
  } else if (stored.schedules !== undefined) {
    for (const type of ["ScheduleActive", "SchedulesValid"])
      draft.conditions = removeCondition(draft.conditions, type);
  }
}

/** The trace has a step for schedules even where they impose nothing now. */
export function traceSchedules({ subject, trace }: Draft): void {
  const { schedules } = subject;
  if (schedules === undefined) return;
  const { own, effective, isWithoutMetrics, state } = schedules;
  const { floor, ceiling, conflict, active, nextMs, isSearchEnd } = state;
  trace.push({
    kind: "schedules",
    own,
    ...effective,
    ...(floor === undefined ? {} : { floor }),
    ...(ceiling === undefined ? {} : { ceiling }),
    ...(conflict === undefined ? {} : { conflict }),
    active,
    ...(nextMs === undefined ? {} : { nextMs }),
    ...(isSearchEnd === undefined ? {} : { isSearchEnd }),
    isWithoutMetrics,
  });
}

/**
 * What schedules have to say about a target without replicas: "held" there, "started" up to the minimum, or
 * nothing. A zero that was there before them was set by a person, and is left to that person.
 */
export function scheduleAtZero(subject: Subject): "held" | "started" | undefined {
  const { schedules, semantics, minReplicas, maxReplicas } = subject;
  if (schedules === undefined) return undefined;
  const isOurs = isScheduledZero(subject);
  if (isOurs && minReplicas === 0 && (maxReplicas === 0 || schedules.isWithoutMetrics)) return "held";
  const isRaised = schedules.effective.minReplicas > schedules.own.minReplicas;
  // Releases before the condition take every zero for their own where minReplicas is zero.
  const isUsual = semantics.fromZero === "min-replicas" && schedules.own.minReplicas === 0;
  return minReplicas > 0 && (isOurs || (isRaised && (isUsual || isScaledToZero(subject))))
    ? "started"
    : undefined;
}

/** A schedule brought the target to zero, by what the stored status says. */
function isScheduledZero({ schedules, stored, maxReplicas, options }: Subject): boolean {
  // Where zero is the usual count and no metric can wake it, it is a count like any other.
  if (schedules?.isWithoutMetrics === true && schedules.own.minReplicas === 0) return true;
  if (maxReplicas === 0 && options.adoptsFromZero === true) return true;
  // The count was written and the status was not: it has replicas that the ceiling has taken since.
  if (maxReplicas === 0 && stored.desiredReplicas > 0) return true;
  return stored.conditions.some(
    (condition) =>
      condition.type === "ScaledToZero" &&
      condition.status === "True" &&
      condition.reason === scheduledToZero,
  );
}

/** Whether schedules explain the change of replicas; then no other condition explains the zero. */
export function setScheduledZero(draft: Draft, to: number): boolean {
  const { schedules, maxReplicas, semantics } = draft.subject;
  if (schedules === undefined) return false;
  if (to === 0 && (maxReplicas === 0 || schedules.isWithoutMetrics)) {
    rememberZero(draft);
    return true;
  }
  // Releases that know no such condition do not take it back either.
  if (semantics.fromZero !== "condition")
    draft.conditions = removeCondition(draft.conditions, "ScaledToZero");
  return false;
}

/** So that the end of the schedule can distinguish this zero from one that a person set. */
export function rememberZero(draft: Draft): void {
  setTrue(draft, "ScaledToZero", scheduledToZero, "a schedule scaled the workload to zero");
}
