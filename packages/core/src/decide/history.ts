// Removes what has expired from the memory, and settles an unconfirmed scale.

import type { HpaMemory } from "../objects/decision.ts";
import { isUnknown } from "./behavior/unknown-history.ts";
import type { Draft } from "./draft.ts";
import { heldSamples } from "./failure/good-samples.ts";
import type { Subject } from "./subject.ts";

/** The memory without what has expired, and without samples that no policy of this specification can use. */
export function currentMemory(subject: Subject, memory: HpaMemory): HpaMemory {
  const { lastGoodSamples, failingSinceMs, unknownHistory, ...rest } = memory;
  if ([lastGoodSamples, failingSinceMs, unknownHistory].every((one) => one === undefined)) return memory;
  const { metrics, failurePolicies, mode } = subject;
  const held = heldSamples(metrics, failurePolicies ?? [], lastGoodSamples ?? {});
  return {
    ...rest,
    ...(Object.keys(held).length === 0 ? {} : { lastGoodSamples: held }),
    // No policy is used during a pause, so a wait begins when it ends.
    ...(failingSinceMs !== undefined && failurePolicies !== undefined && mode !== "Paused"
      ? { failingSinceMs }
      : {}),
    ...(isUnknown(unknownHistory, subject.nowMs) ? { unknownHistory } : {}),
  };
}

/** A scale that was not made must not use up the policies of the next one. */
export function settleUnconfirmed(draft: Draft, specReplicas: number): void {
  if (draft.memory.unconfirmedScale === undefined) return;
  const { unconfirmedScale, ...memory } = draft.memory;
  const { replicas, scaleUpEvents, scaleDownEvents } = unconfirmedScale;
  const isMade = replicas === specReplicas;
  draft.trace.push({ kind: "unconfirmed-scale", replicas, isMade });
  draft.memory = isMade ? memory : { ...memory, scaleUpEvents, scaleDownEvents };
}

/** The trace says that the history is unknown, also where that changes nothing. */
export function traceUnknownHistory({ memory, trace }: Draft): void {
  const { unknownHistory } = memory;
  if (unknownHistory === undefined) return;
  const { lastScaleMs, untilMs } = unknownHistory;
  trace.push({ kind: "unknown-history", lastScaleAtMs: lastScaleMs, untilMs });
}
