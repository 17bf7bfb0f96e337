// The fields of the log line about a scale.
import { explain } from "@plimsoll/core";
import { keyOf } from "../../objects/scaling-object.ts";
import type { Plan } from "../evaluate/plan.ts";

/** What a person wants to know about a scale, in one line. */
export function scaleFields({ observation, decided }: Plan): object {
  const { object } = observation;
  const { kind, name } = object.spec.scaleTargetRef;
  const { currentReplicas, scaleTo, reason } = decided.decision;
  return {
    hpa: keyOf(object),
    target: `${kind}/${name}`,
    from: currentReplicas,
    to: scaleTo,
    reason,
    summary: explain(decided.decision).split("\n", 1)[0],
  };
}
