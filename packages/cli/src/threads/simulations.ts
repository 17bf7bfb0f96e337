// Simulations on threads of their own, as many at a time as there are jobs.
import { type Clock, messageOf, serveTasks } from "@plimsoll/component-base";
import { type Scenario, type SimulatedRun, simulate } from "@plimsoll/simulator";
import { createThreadPool, type ThreadKind } from "./pool.ts";
import { signalsSeen } from "./signals-seen.ts";

/** One run to make. */
export interface SimulateTask {
  readonly scenario: Scenario;
  readonly seriesPoints: number;
}

/** What became of it. */
export type SimulateOutcome =
  | { readonly ok: true; readonly run: SimulatedRun }
  | { readonly ok: false; readonly message: string };

/** Makes runs. Each outcome is reported as soon as it is there, in any order. */
export type EvaluateBatch = (
  tasks: readonly SimulateTask[],
  report: (index: number, outcome: SimulateOutcome) => void,
  signal: AbortSignal,
) => Promise<void>;

/** A run of a year takes a minute or two of a processor, on a machine that does other things more. */
const kind: ThreadKind = {
  name: "simulate",
  file: new URL(import.meta.url),
  budget: { timeMs: 3_600_000, memoryMb: 1024 },
  task: "a run",
};

/** On this thread, one after another; between two of them an interruption is seen. */
export const evaluateInline: EvaluateBatch = async (tasks, report, signal) => {
  for (const [index, task] of tasks.entries()) {
    if (signal.aborted) return;
    report(index, outcomeOf(task));
    await signalsSeen();
  }
};

/** On so many threads. What is under way at an interruption is left. */
export function evaluateOnThreads(jobs: number, clock: Clock): EvaluateBatch {
  return async (tasks, report, signal) => {
    const size = Math.min(jobs, tasks.length);
    const pool = createThreadPool<SimulateTask, SimulateOutcome>(size, kind, { clock, signal });
    try {
      await pool.run(tasks, (thread, task) => thread.run(task), report);
    } finally {
      pool.stop();
    }
  };
}

function outcomeOf({ scenario, seriesPoints }: SimulateTask): SimulateOutcome {
  try {
    return { ok: true, run: simulate(scenario, { seriesPoints }) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

serveTasks(kind.name, outcomeOf);
