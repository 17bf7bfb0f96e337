// The command that would make the edits of the specification; it is copied, and never run.
import type { DecisionRecord, HpaSpec, MetricSpec } from "@plimsoll/core";
import { shellWord } from "@plimsoll/core/internal/values";
import { asWritten } from "@plimsoll/core/queries";
import type { ObjectKey } from "@plimsoll/decisions";
import { shortNameOf } from "../context/route.ts";
import type { Edits } from "./edits.ts";

interface Patched {
  readonly object: ObjectKey;
  readonly record: DecisionRecord;
  readonly edits: Edits;
  /** The specification with the edits, without those that the API server would refuse. */
  readonly after: HpaSpec;
}

/** Undefined: nothing of the specification is edited. */
export function patchCommand(patched: Patched): string | undefined {
  const spec = changedFields(patched);
  if (Object.keys(spec).length === 0) return undefined;
  const { resource, namespace, name } = patched.object;
  const patch = shellWord(JSON.stringify({ spec }));
  return `kubectl patch ${shortNameOf(resource)} ${shellWord(name)} -n ${shellWord(namespace)} --type=merge -p ${patch}`;
}

/** A merge patch replaces lists as a whole, and merges what is in an object. */
function changedFields({ record, edits, after }: Patched): Readonly<Record<string, unknown>> {
  const before = record.input.hpa.spec;
  const { tolerance, downWindowSeconds } = edits;
  const isTolerance = tolerance !== undefined && after.behavior?.scaleUp?.tolerance === tolerance;
  const isWindow =
    downWindowSeconds !== undefined &&
    after.behavior?.scaleDown?.stabilizationWindowSeconds === downWindowSeconds;
  const down = {
    ...(isWindow ? { stabilizationWindowSeconds: downWindowSeconds } : {}),
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
