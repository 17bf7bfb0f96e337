// Evidence of which nothing is known yet.
import type { FactName, FactReadings } from "./facts.ts";
import { unknown } from "./reading.ts";

const names: Readonly<Record<FactName, true>> = {
  hpas: true,
  wlas: true,
  scaledObjects: true,
  datadogAutoscalers: true,
  deployments: true,
  cronHpas: true,
  rollouts: true,
  vpas: true,
  pdbs: true,
  quotas: true,
  events: true,
  nodes: true,
  metricRules: true,
  metricRuleNotes: true,
  adapterServices: true,
  adapterNotes: true,
  apiServices: true,
  target: true,
  scale: true,
  selectorPath: true,
  pods: true,
  namespacePods: true,
  selections: true,
  samples: true,
  customMetrics: true,
  externalMetrics: true,
  decision: true,
  otherWriter: true,
  history: true,
  adapterRules: true,
  fronts: true,
  installation: true,
};

/** All facts are missing for one reason. */
export function noFacts(reason: string): FactReadings {
  return Object.fromEntries(
    Object.keys(names).map((name) => [name, unknown(reason)]),
  ) as object as FactReadings;
}
