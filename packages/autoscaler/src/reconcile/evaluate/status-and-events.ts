import type { DecideResult, Decision, DecisionEvent } from "@plimsoll/core";
import { problemsText } from "@plimsoll/core/api";
import { modeAt } from "../../objects/wla-extras.ts";
import type { ForeignWrite } from "../conflicts/conflict.ts";
import { heldEvent } from "./held.ts";
import { refusalEvents, storedQueries, withConditions } from "./own-conditions.ts";
import type { Plan } from "./plan.ts";
import { queryStatuses } from "./query-status.ts";
import { targetsText } from "./targets-text.ts";

type Base = Pick<Plan, "observation" | "mode" | "conflict" | "yielded">;

/** What an object shows of a decision: nothing where another controller manages an HPA, more on a WorkloadAutoscaler. */
export function statusAndEvents(
  base: Base,
  decided: DecideResult,
): Pick<Plan, "result" | "events" | "held" | "writesStatus"> {
  const { observation, mode, conflict } = base;
  const { object, state } = observation;
  const decision = withOwnStatus(base, decided.decision);
  const { held, events } = heldEvent(decision, state.held, observation.nowMs);
  const writes = mode === "active" || object.kind === "WorkloadAutoscaler";
  return {
    result: { ...decided, decision },
    events: [
      ...(conflict.foreign === undefined ? [] : [foreignWriterEvent(conflict.foreign)]),
      ...(mode === "active" ? [...decision.events, ...events] : []),
      ...(object.kind === "WorkloadAutoscaler" ? refusalEvents(decision, object.status) : []),
    ],
    held,
    writesStatus: writes && (decision.statusChanged || state.pendingStatus !== undefined),
  };
}

function foreignWriterEvent({ by, what }: ForeignWrite): DecisionEvent {
  return {
    type: "Warning",
    reason: "ForeignWriter",
    message: `${by} writes the ${what} of what this controller manages; it only watches from now on, until the annotation autoscaling.plimsoll.dev/reclaim changes`,
  };
}

/** The decision with the status that a WorkloadAutoscaler has beyond an HPA. */
function withOwnStatus({ observation, yielded }: Base, decided: Decision): Decision {
  const { object, nowMs, conflictingObjects, samples } = observation;
  if (object.kind === "HorizontalPodAutoscaler") return decided;
  const { problems, pauseReason, pausedUntilMs } = object.wla;
  const isRefused = problems.length > 0;
  const state = {
    mode: modeAt(object.wla, nowMs),
    pauseReason,
    pausedUntilMs,
    problem: isRefused ? problemsText(problems) : undefined,
    yieldedTo: yielded?.by,
    conflictingObjects,
    // A refused specification may lack what the text is made of.
    targets: isRefused ? "<unknown>" : targetsText(object, decided.status.currentMetrics),
    queries: queryStatuses({
      metrics: object.spec.metrics ?? [],
      samples,
      former: storedQueries(object.status),
      generation: object.metadata.generation,
      nowMs,
    }),
  };
  return withConditions(decided, object.status, { state, nowMs });
}
