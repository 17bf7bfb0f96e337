import type { DecideResult, RescaleUndo } from "../objects/decision.ts";
import { sameStatus } from "../objects/status/equal.ts";
import type { HpaCondition, HpaStatus } from "../objects/status.ts";
import { removeCondition, setCondition } from "./combine/conditions.ts";

/**
 * What becomes of a decision when its scale write failed for good: events, status and memory as upstream leaves
 * them. `message` is the text of the error. A decision that writes nothing comes back as it is. With `isUncertain` the
 * write may have been carried out all the same: then the next evaluation finds out.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#reconcileAutoscaler
 */
export function withFailedRescale(result: DecideResult, message: string, isUncertain = false): DecideResult {
  const { decision, memory } = result;
  const { beforeRescale: undo, scaleTo, reason } = decision;
  if (undo === undefined || scaleTo === undefined) return result;
  const { stored } = undo;
  const { lastScaleTime: _, ...rest } = decision.status;
  const status: HpaStatus = {
    ...rest,
    ...(stored.lastScaleTime === undefined ? {} : { lastScaleTime: stored.lastScaleTime }),
    desiredReplicas: stored.desiredReplicas,
    conditions: failedConditions(decision.status.conditions, undo, message),
  };
  const undone = { scaleUpEvents: undo.scaleUpEvents, scaleDownEvents: undo.scaleDownEvents };
  const error = `failed to rescale ${undo.reference}: ${message}`;
  const failure = `New size: ${scaleTo}; reason: ${reason}; error: ${message}`;
  return {
    decision: {
      currentReplicas: decision.currentReplicas,
      desiredReplicas: stored.desiredReplicas,
      scaleTo: undefined,
      reason,
      status,
      statusChanged: !sameStatus(stored, status),
      events: [
        ...decision.events.filter((event) => event.reason !== "SuccessfulRescale"),
        { type: "Warning", reason: "FailedRescale", message: failure },
      ],
      outcome: { action: "none", error: "internal", message: error },
      trace: decision.trace.map((step) =>
        step.kind === "result"
          ? { ...step, action: "error", desiredReplicas: stored.desiredReplicas, error }
          : step,
      ),
    },
    memory: isUncertain
      ? { ...memory, unconfirmedScale: { replicas: scaleTo, ...undone } }
      : { ...memory, ...undone },
  };
}

/** AbleToScale turns false; ScaledToZero is what it was, since only a success may set it. */
function failedConditions(
  conditions: readonly HpaCondition[],
  undo: RescaleUndo,
  message: string,
): readonly HpaCondition[] {
  const before = undo.stored.conditions.find(({ type }) => type === "ScaledToZero");
  const restored =
    before === undefined ? removeCondition(conditions, "ScaledToZero") : restoreCondition(conditions, before);
  return setCondition(
    restored,
    {
      type: "AbleToScale",
      status: "False",
      reason: "FailedUpdateScale",
      message: `the HPA controller was unable to update the target scale: ${message}`,
    },
    undo.nowMs,
  );
}

function restoreCondition(
  conditions: readonly HpaCondition[],
  before: HpaCondition,
): readonly HpaCondition[] {
  return conditions.some(({ type }) => type === before.type)
    ? conditions.map((condition) => (condition.type === before.type ? before : condition))
    : [...conditions, before];
}
