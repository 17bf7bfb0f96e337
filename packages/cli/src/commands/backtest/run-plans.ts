// Makes the runs of specifications on a recorded load, on threads where that is worth it.
import { availableParallelism } from "node:os";
import type { WhatIfPlan } from "@plimsoll/backtest";
import type { SimulatedRun } from "@plimsoll/simulator";
import { createProgress } from "../../output/progress.ts";
import { CliError, type CliSeams, clockOf } from "../../seams.ts";
import { evaluateInline, evaluateOnThreads, type SimulateTask } from "../../threads/simulations.ts";
import type { BacktestWhatIf } from "./document.ts";

export type RunSeams = Pick<CliSeams, "signal" | "writeError" | "terminal" | "nowMs" | "clock">;

export interface NamedPlan {
  readonly name: string;
  readonly plan: WhatIfPlan;
}

/** Fewer are made sooner than a thread is there. */
const fewSyncs = 40_000;

/** Those of which all runs are made; after an interruption that is not all. @throws CliError where one fails */
export async function runPlans(
  plans: readonly NamedPlan[],
  {
    syncs,
    jobs,
    seams,
  }: { readonly syncs: number; readonly jobs: number | undefined; readonly seams: RunSeams },
): Promise<{ readonly whatIfs: readonly BacktestWhatIf[]; readonly notes: readonly string[] }> {
  const tasks = plans.flatMap(({ plan }) => plan.scenarios.map(taskOf));
  const runs: (SimulatedRun | undefined)[] = tasks.map(() => undefined);
  const progress = createProgress(tasks.length, seams);
  let failure: string | undefined;
  const evaluate =
    jobs === undefined && syncs * tasks.length < fewSyncs
      ? evaluateInline
      : evaluateOnThreads(jobs ?? availableParallelism(), clockOf(seams));
  await evaluate(
    tasks,
    (index, outcome) => {
      progress.step();
      if (outcome.ok) runs[index] = outcome.run;
      else failure ??= outcome.message;
    },
    seams.signal,
  );
  progress.end();
  if (failure !== undefined) throw new CliError(`the simulation failed: ${failure}`);
  let first = 0;
  const whatIfs = plans.flatMap(({ name, plan }): readonly BacktestWhatIf[] => {
    const end = first + plan.scenarios.length;
    const own = runs.slice(first, end).filter((run) => run !== undefined);
    first = end;
    if (own.length < plan.scenarios.length) return [];
    const { scores, podHours, peak, hotSeconds, shortPodSeconds, ...others } = plan.read(own);
    return [{ name, scores, band: { podHours, peak, hotSeconds, shortPodSeconds }, ...others }];
  });
  const missing = plans.length - whatIfs.length;
  return {
    whatIfs,
    notes: missing === 0 ? [] : [`interrupted: ${missing} of ${plans.length} --what-if are not complete`],
  };
}

/** Its load is made when it is its turn. */
function taskOf(scenario: () => SimulateTask["scenario"]): SimulateTask {
  return {
    get scenario() {
      return scenario();
    },
    seriesPoints: 0,
  };
}
