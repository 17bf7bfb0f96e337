import { type Autoscaler, simulate } from "@plimsoll/simulator";
import type { Counterfactual, WhatIf } from "../../src/index.ts";

/** Makes the runs of a plan, one after the other. */
export function whatIfOf({ plan }: Counterfactual, autoscaler: Autoscaler): WhatIf {
  const read = plan(autoscaler);
  if (!read.ok) throw new Error(read.message);
  return read.plan.read(read.plan.scenarios.map((scenario) => simulate(scenario(), { seriesPoints: 0 })));
}
