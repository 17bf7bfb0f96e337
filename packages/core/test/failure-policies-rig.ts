// Decisions whose metrics fail, under policies.
import type { DecideInput, decide, MetricSamples } from "../src/index.ts";
import { externalAverage, hpaOf, nowMs } from "./fixtures.ts";

export const failed: MetricSamples = { error: "unable to fetch metrics from external metrics API: down" };
export const reading = (value: string): MetricSamples => ({ values: [{ value }] });
export const names = ["m0", "m1", "m2", "m3"];

/** One External metric of target 10 for each entry of `samples`, on 4 replicas. */
export function input(
  samples: readonly MetricSamples[],
  failurePolicies: DecideInput["failurePolicies"],
  replicas = 4,
  spec: Partial<DecideInput["hpa"]["spec"]> = {},
): DecideInput {
  return {
    nowMs,
    hpa: hpaOf({
      maxReplicas: 12,
      metrics: samples.map((_, i) => externalAverage("10", names[i])),
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      ...spec,
    }),
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=web" },
    pods: { ok: true, pods: [] },
    samples,
    failurePolicies,
  };
}

export const policySteps = (result: ReturnType<typeof decide>) =>
  result.decision.trace.filter((step) => step.kind === "failure-policy");
