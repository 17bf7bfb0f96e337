// What other autoscalers would have done on the load of a recording, and how far to believe it.
import {
  type Counterfactual,
  createCounterfactual,
  type InferredLoad,
  inferLoad,
  type Recording,
} from "@plimsoll/backtest";
import type { ControllerOptions } from "@plimsoll/core";
import type { Assumption, Autoscaler } from "@plimsoll/simulator";
import { signalsSeen } from "../../threads/signals-seen.ts";
import type { BacktestReport } from "./document.ts";
import { loadAssumptions } from "./load-assumptions.ts";
import { withSettings } from "./replay-settings.ts";
import { type NamedPlan, type RunSeams, runPlans } from "./run-plans.ts";
import type { CounterfactualRequest, WhatIfSpec } from "./what-if-flags.ts";

/** Fields of the report. */
export interface CounterfactualRead {
  readonly fields: Pick<BacktestReport, "control" | "unknowns" | "assumptions" | "whatIfs">;
  readonly notes: readonly string[];
  readonly errors: readonly string[];
}

interface Recorded {
  readonly recording: Recording;
  readonly autoscaler: Autoscaler;
  /** Of the controller: all specifications run under it. */
  readonly settings: Partial<ControllerOptions>;
  readonly periodMs: number;
}

/** Without --what-if there is nothing. @throws CliError where a run fails */
export async function counterfactualOf(
  { recording, autoscaler, settings, periodMs }: Recorded,
  request: CounterfactualRequest | undefined,
  seams: RunSeams,
): Promise<CounterfactualRead> {
  if (request === undefined) return { fields: {}, notes: [], errors: [] };
  const { rateMs, scrapeMs, loadModels, seed, hotAbove, jobs } = request;
  const read = inferLoad(recording, { autoscaler, rateMs, scrapeMs, loadModels });
  if (!read.ok) return { fields: {}, notes: [], errors: [`--what-if: ${read.message}`] };
  await signalsSeen();
  if (seams.signal.aborted) return { fields: {}, notes: [incomplete], errors: [] };
  const made = createCounterfactual(
    recording,
    { autoscaler, inferred: read.load },
    { periodMs, seed, signal: seams.signal, ...(hotAbove === undefined ? {} : { hotAbove }) },
  );
  const { control, seconds, unknowns } = made;
  const { specs, errors } = specsFor(recording, request.specs);
  const isShown = control.isWithinBar || request.isForced;
  await signalsSeen();
  const plans = isShown ? plansOf(made, specs, settings) : [];
  const runs = await runPlans(
    plans.flatMap((one) => (typeof one === "string" ? [] : one)),
    { syncs: (1000 * seconds) / periodMs, jobs, seams },
  );
  return {
    fields: {
      control: { seconds, ...control },
      unknowns,
      assumptions: assumptionsOf(made, read.load, request),
      whatIfs: runs.whatIfs,
    },
    notes: [...(isShown ? [] : [tooFar]), ...runs.notes],
    errors: [...errors, ...plans.filter((one) => typeof one === "string")],
  };
}

/** Said of an interruption. */
export const incomplete = "interrupted: no --what-if is complete";
const tooFar =
  "the control run differs too much from the recording, so --what-if isn't shown: use --force to show it";

/** Those of its target; the only one there is, whatever it is called. */
function specsFor(
  { target }: Recording,
  specs: readonly WhatIfSpec[],
): { readonly specs: readonly WhatIfSpec[]; readonly errors: readonly string[] } {
  const own = specs.filter((spec) => spec.target === target.name);
  if (own.length > 0) return { specs: own, errors: [] };
  const names = [...new Set(specs.map((spec) => spec.target))].join(", ");
  return {
    specs: [],
    errors: [
      `--what-if scales ${names}, but the recording is of ${target.name}: use an autoscaler of that target`,
    ],
  };
}

/** What cannot be simulated is a message. */
function plansOf(
  { plan }: Counterfactual,
  specs: readonly WhatIfSpec[],
  settings: Partial<ControllerOptions>,
): readonly (NamedPlan | string)[] {
  return specs.map(({ name, autoscaler }) => {
    const found = plan(withSettings(autoscaler, settings));
    return found.ok ? { name, plan: found.plan } : `--what-if ${name}: ${found.message}`;
  });
}

function assumptionsOf(
  { hotAbove }: Counterfactual,
  inferred: InferredLoad,
  request: CounterfactualRequest,
): readonly Assumption[] {
  const source = request.hotAbove === undefined ? "estimated" : "given";
  return [{ path: "hotAbove", value: String(hotAbove), source }, ...loadAssumptions(inferred, request)];
}
