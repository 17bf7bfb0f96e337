// The last good samples, for the failure policy HoldLast.

import type { FailurePolicy, LastGoodSamples } from "../../objects/failure-policy.ts";
import type { MetricSpec } from "../../objects/metric-spec.ts";
import type { MetricSamples } from "../../objects/samples.ts";
import type { MetricOutcome } from "../metrics/outcome.ts";
import { metricIdentity } from "./identity.ts";

type Remembered = Readonly<Record<string, LastGoodSamples>>;

/** Of what is remembered, what a HoldLast of these metrics may go back to. */
export function heldSamples(
  specs: readonly MetricSpec[],
  policies: readonly FailurePolicy[],
  remembered: Remembered,
): Remembered {
  const held: Record<string, LastGoodSamples> = {};
  for (const identity of holdable(specs, policies)) {
    const last = remembered[identity];
    if (Number.isFinite(last?.atMs) && last !== undefined) held[identity] = last;
  }
  return held;
}

/** The same with the samples of an evaluation in which these metrics were read. Samples are large: only what may be held is kept. */
export function withGoodSamples(
  remembered: Remembered,
  read: {
    readonly specs: readonly MetricSpec[];
    readonly policies: readonly FailurePolicy[];
    readonly samples: readonly MetricSamples[];
    readonly outcomes: readonly MetricOutcome[];
    readonly nowMs: number;
  },
): Remembered {
  const held: Record<string, LastGoodSamples> = { ...remembered };
  read.specs.forEach((spec, i) => {
    if (read.policies[i]?.policy !== "HoldLast" || read.outcomes[i]?.ok !== true) return;
    held[metricIdentity(spec)] = { samples: read.samples[i] ?? { pods: [] }, atMs: read.nowMs };
  });
  return held;
}

function holdable(specs: readonly MetricSpec[], policies: readonly FailurePolicy[]): readonly string[] {
  return specs.filter((_, i) => policies[i]?.policy === "HoldLast").map(metricIdentity);
}
