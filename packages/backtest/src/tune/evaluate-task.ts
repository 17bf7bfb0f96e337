// One candidate on one day: the closed loop, with a lead-in so that windows are as full as they would be.
import type { HpaMemory } from "@plimsoll/core";
import { type Autoscaler, type Scenario, simulate, type Workload } from "@plimsoll/simulator";
import { figuresOf, type LoopFigures } from "../infer/counterfactual.ts";
import type { TuneDay, TuneOutcome, TuneTask, TuneWorld } from "./evaluate.ts";
import { withStress } from "./stress.ts";

/** Pure, and the same on every thread. A failure is an outcome. */
export function evaluateTask(
  { days }: TuneWorld,
  { day: at, autoscaler, stress = {} }: TuneTask,
): TuneOutcome {
  const day = days[at];
  if (day === undefined) return { ok: false, message: `day ${at} is not one of ${days.length}` };
  try {
    return { ok: true, scores: scoresOf({ ...day, scenario: withStress(day.scenario, stress) }, autoscaler) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function scoresOf({ scenario, fromMs, toMs }: TuneDay, autoscaler: Autoscaler): LoopFigures {
  const [own] = scenario.workloads;
  if (own === undefined) throw new RangeError("a day has no workload");
  const { replicas, memory } = afterLeadIn(scenario, own, { fromMs, autoscaler });
  const run = simulate(
    {
      ...scenario,
      startMs: fromMs,
      durationMs: toMs - fromMs,
      workloads: [
        { ...own, replicas, autoscaler: { ...autoscaler, ...(memory === undefined ? {} : { memory }) } },
      ],
    },
    { seriesPoints: 0 },
  );
  return figuresOf(run.workloads.map((workload) => ({ segment: { fromMs, toMs }, replicas, workload })));
}

/** The count and the memory with which the day begins. */
function afterLeadIn(
  scenario: Scenario,
  own: Workload,
  { fromMs, autoscaler }: { readonly fromMs: number; readonly autoscaler: Autoscaler },
): { readonly replicas: number; readonly memory: HpaMemory | undefined } {
  let memory: HpaMemory | undefined;
  const { startMs } = scenario;
  if (startMs >= fromMs) return { replicas: own.replicas, memory };
  const run = simulate(
    { ...scenario, durationMs: fromMs - startMs, workloads: [{ ...own, autoscaler }] },
    {
      seriesPoints: 0,
      onSync: ({ result }) => {
        memory = result.memory;
      },
    },
  );
  return { replicas: run.workloads[0]?.changes.at(-1)?.to ?? own.replicas, memory };
}
