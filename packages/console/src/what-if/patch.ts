// The command that would make the edits of the specification; it is copied, and never run.
import type { DecisionRecord, MetricSpec } from "@plimsoll/core";
import { shellWord } from "@plimsoll/core/internal/values";
import { asWritten } from "@plimsoll/core/queries";
import type { ObjectKey } from "@plimsoll/decisions";
import { shortNameOf } from "../context/route.ts";
import type { Edits } from "./edits.ts";
import { editedSpec } from "./what-if.ts";

/** Undefined: nothing of the specification is edited. */
export function patchCommand(object: ObjectKey, record: DecisionRecord, edits: Edits): string | undefined {
  const spec = changedFields(record, edits);
  if (Object.keys(spec).length === 0) return undefined;
  const { resource, namespace, name } = object;
  const patch = shellWord(JSON.stringify({ spec }));
  return `kubectl patch ${shortNameOf(resource)} ${shellWord(name)} -n ${shellWord(namespace)} --type=merge -p ${patch}`;
}

/** A merge patch replaces lists as a whole, and merges what is in an object. */
function changedFields(record: DecisionRecord, edits: Edits): Readonly<Record<string, unknown>> {
  const before = record.input.hpa.spec;
  const after = editedSpec(record, edits);
  const { tolerance, downWindowSeconds } = edits;
  const isTolerance = after.behavior?.scaleUp?.tolerance === tolerance && tolerance !== undefined;
  const down = {
    ...(downWindowSeconds === undefined ? {} : { stabilizationWindowSeconds: downWindowSeconds }),
    ...(isTolerance ? { tolerance } : {}),
  };
  return {
    ...(after.minReplicas === before.minReplicas ? {} : { minReplicas: after.minReplicas }),
    ...(after.maxReplicas === before.maxReplicas ? {} : { maxReplicas: after.maxReplicas }),
    ...(after.metrics === before.metrics ? {} : { metrics: after.metrics?.map(writtenIn(record)) }),
    ...(Object.keys(down).length === 0
      ? {}
      : { behavior: { ...(isTolerance ? { scaleUp: { tolerance } } : {}), scaleDown: down } }),
  };
}

/** With its failure policy, which the patch would remove. */
function writtenIn({ input: { failurePolicies = [] } }: DecisionRecord) {
  return (metric: MetricSpec, index: number): object => {
    const policy = failurePolicies[index];
    const written = asWritten(metric);
    return policy === undefined || policy.policy === "Block"
      ? written
      : { ...written, onMetricFailure: policy };
  };
}
