// Simulations on threads of their own, as many at a time as there are jobs.
import {
  type Clock,
  createWorkerTasks,
  forEachLimit,
  messageOf,
  serveTasks,
  type WorkerTasks,
} from "@plimsoll/component-base";
import { type Scenario, type SimulatedRun, simulate } from "@plimsoll/simulator";
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

const name = "simulate";
/** A run of a year takes a minute or two of a processor, on a machine that does other things more. */
const budget = { timeMs: 3_600_000, memoryMb: 1024 };

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
    const threads = Array.from({ length: Math.min(jobs, tasks.length) }, () => createThread(clock));
    const idle = [...threads];
    const stop = (): void => {
      for (const thread of threads) thread.stop();
    };
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    try {
      const all = forEachLimit(threads.length, [...tasks.entries()], async ([index, task]) => {
        const thread = idle.pop();
        if (thread === undefined || signal.aborted) return;
        const outcome = await thread.run(task);
        idle.push(thread);
        if (!signal.aborted) report(index, outcome);
      });
      await Promise.race([all, aborted]);
    } finally {
      stop();
    }
  };
}

function createThread(clock: Clock): WorkerTasks<SimulateTask, SimulateOutcome> {
  return createWorkerTasks({
    name,
    clock,
    budget,
    file: new URL(import.meta.url),
    failed: (failure) => ({
      ok: false,
      message:
        failure.reason === "error"
          ? failure.message
          : `a run took more ${failure.reason} than it may (${budget.timeMs / 60_000} min, ${budget.memoryMb} MB)`,
    }),
  });
}

function outcomeOf({ scenario, seriesPoints }: SimulateTask): SimulateOutcome {
  try {
    return { ok: true, run: simulate(scenario, { seriesPoints }) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

serveTasks(name, outcomeOf);
