import type { DecideResult, Decision } from "@plimsoll/core";
import { problemsText } from "@plimsoll/core/api";
import { modeAt } from "../../objects/wla-extras.ts";
import { withContest, yieldedText } from "../conflicts/conflict-text.ts";
import { contestNow } from "../conflicts/foreign-writer.ts";
import { heldEvent } from "./held.ts";
import { refusalEvents, storedQueries, withConditions, zeroEvents } from "./own-conditions.ts";
import type { Plan } from "./plan.ts";
import { queryStatuses } from "./query-status.ts";
import { targetsText } from "./targets-text.ts";

type Base = Pick<Plan, "observation" | "mode" | "conflict">;

/** What an object shows of a decision: nothing where another controller manages an HPA, more on a WorkloadAutoscaler. */
export function statusAndEvents(
  base: Base,
  decided: DecideResult,
): Pick<Plan, "result" | "events" | "held" | "writesStatus"> {
  const { observation, mode, conflict } = base;
  const { object, state } = observation;
  const reported =
    mode === "active"
      ? withContest(decided.decision, contestNow(conflict.contest, observation.nowMs), object.status)
      : decided.decision;
  const decision = withOwnStatus(base, reported);
  const { held, events } = heldEvent(decision, state.held, observation.nowMs);
  const found = state.yielded === undefined ? conflict.yielded : undefined;
  // Another installation that reads our status again and again would leave the object to us, as we leave it to that one.
  const isWatched = conflict.yielded !== undefined && found === undefined;
  const writes = mode === "active" || (object.kind === "WorkloadAutoscaler" && !isWatched);
  return {
    result: { ...decided, decision },
    events: [
      ...(found === undefined
        ? []
        : [{ type: "Warning", reason: "ForeignWriter", message: yieldedText(found) } as const]),
      ...(mode === "active" ? [...decision.events, ...events] : []),
      ...(object.kind === "WorkloadAutoscaler"
        ? [...refusalEvents(decision, object.status), ...zeroEvents(decision, object.status)]
        : []),
    ],
    held,
    writesStatus: writes && (decision.statusChanged || state.pendingStatus !== undefined),
  };
}

/** The decision with the status that a WorkloadAutoscaler has beyond an HPA. */
function withOwnStatus({ observation, conflict }: Base, decided: Decision): Decision {
  const { object, nowMs, conflictingObjects, samples } = observation;
  if (object.kind === "HorizontalPodAutoscaler") return decided;
  const { problems, pauseReason, pausedUntilMs } = object.wla;
  const isRefused = problems.length > 0;
  const state = {
    mode: modeAt(object.wla, nowMs),
    pauseReason,
    pausedUntilMs,
    problem: isRefused ? problemsText(problems) : undefined,
    yielded: conflict.yielded && yieldedText(conflict.yielded),
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
