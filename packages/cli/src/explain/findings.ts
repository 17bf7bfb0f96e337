// What the rules of the doctor find in a decision: those for which the autoscaler's records are enough.
import { diagnose, known, noFacts, readAutoscaler, rules } from "@plimsoll/doctor";
import type { Explained } from "../decisions/source.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";

const nothing = noFacts("not looked at");

/** The decision alone is looked at; `doctor` looks at everything. */
const fromDecision = rules.filter(
  ({ scope, isFromRecords, needs }) =>
    scope === "object" && isFromRecords === true && needs.every((need) => need === "decision"),
);

/** Undefined without a decision: nothing was looked at then. */
export function findingsIn(
  explained: Explained,
  { kind, object }: ScalingObject,
  nowMs: number,
): Explained["findings"] {
  const { decision } = explained;
  // An object out of a list has no kind of its own.
  const autoscaler = readAutoscaler({ ...object, kind });
  if (decision === undefined || autoscaler === undefined) return undefined;
  const facts = { ...nothing, decision: known(decision) };
  return diagnose({ nowMs, objects: [{ object: autoscaler, facts }], cluster: nothing }, fromDecision)
    .findings;
}
