// Invariant: the policy HoldLast goes back to readings of the metric itself.
import { isDeepStrictEqual } from "node:util";
import { decide, type MetricSamples } from "@plimsoll/core";
import type { CreateInvariant } from "../run/world.ts";
import type { Decided } from "./decisions.ts";

/** More than a policy goes back to at a period of 15 s. */
const maxKept = 300;

/** What counts for a metric that cannot be read was read before of this very metric of this very object. */
export const heldIsItsOwn: CreateInvariant = () => {
  /** By object and metric, newest first. */
  const good = new Map<string, MetricSamples[]>();
  return {
    name: "held-is-its-own",
    observe(observation) {
      if (observation.kind !== "decided" || observation.input.failurePolicies === undefined) return undefined;
      let isHeld = false;
      const { trace } = observation.result.decision;
      const failed = new Map(
        trace.flatMap((step) => (step.kind === "failure-policy" ? [[step.index, step]] : [])),
      );
      for (const step of trace) {
        if (step.kind !== "metric") continue;
        const key = keyOf(observation, step.index);
        const kept = good.get(key) ?? [];
        const policy = failed.get(step.index);
        const samples = observation.input.samples[step.index];
        if (policy === undefined && step.error === undefined && samples !== undefined) {
          good.set(key, [samples, ...kept].slice(0, maxKept));
        } else if (policy?.policy === "HoldLast" && policy.isApplied) {
          if (!kept.some((one) => isFrom(one, observation, step.index)))
            return `${observation.process} holds for metric ${step.index} of ${observation.input.hpa.metadata?.name} what was never read of it`;
          isHeld = true;
        }
      }
      return isHeld || undefined;
    },
  };
};

/** Whether the decision with these samples shows the same of the metric. */
function isFrom(samples: MetricSamples, { input, memory, result }: Decided, index: number): boolean {
  const again = decide({ ...input, samples: input.samples.with(index, samples) }, memory);
  const stepOf = ({ decision }: Decided["result"]) =>
    decision.trace.find((step) => step.kind === "metric" && step.index === index);
  return isDeepStrictEqual(stepOf(again), stepOf(result));
}

/** The object, and its metric without the target. */
function keyOf({ input: { hpa } }: Decided, index: number): string {
  const { type, ...sources } = hpa.spec.metrics?.[index] ?? { type: "" };
  const [source = {}] = Object.values(sources);
  return JSON.stringify([hpa.metadata?.uid, type, { ...source, target: undefined }]);
}
