// Candidates on days, on threads: each thread is given the days once.
import {
  type EvaluateBatch,
  evaluateTask,
  type TuneOutcome,
  type TuneTask,
  type TuneWorld,
} from "@plimsoll/backtest";
import { type Clock, serveTasks, type WorkerTasks } from "@plimsoll/component-base";
import { createThreadPool, type ThreadKind } from "../../threads/pool.ts";

/** What a thread is sent: with the days where it does not have them. */
interface Message {
  readonly worldId: number;
  readonly world?: TuneWorld;
  readonly task: TuneTask;
}

type Response = TuneOutcome | { readonly ok: "no-world" };

/** Threads for all batches of a search. */
export interface TuneThreads {
  readonly evaluate: EvaluateBatch;
  /** Ends them; what is under way is left. */
  stop(): void;
}

/** A day takes a second at most, on a machine that does other things more. */
const kind: ThreadKind = {
  name: "tune",
  file: new URL(import.meta.url),
  budget: { timeMs: 600_000, memoryMb: 1024 },
  task: "a day",
};

/** At an interruption a batch ends without what is under way. */
export function createTuneThreads(
  jobs: number,
  seams: { readonly clock: Clock; readonly signal: AbortSignal },
): TuneThreads {
  const pool = createThreadPool<Message, Response>(jobs, kind, seams);
  const worlds = new Map<TuneWorld, number>();
  return {
    async evaluate({ world, tasks }, report) {
      const worldId = worlds.get(world) ?? worlds.size;
      worlds.set(world, worldId);
      await pool.run(tasks, (thread, task) => outcomeOf(thread, { worldId, task }, world), report);
    },
    stop: pool.stop,
  };
}

/** A new thread has no days, whether it is the first or follows one that failed. */
async function outcomeOf(
  thread: WorkerTasks<Message, Response>,
  message: Message,
  world: TuneWorld,
): Promise<TuneOutcome> {
  const first = await thread.run(message);
  if (first.ok !== "no-world") return first;
  const second = await thread.run({ ...message, world });
  return second.ok === "no-world" ? { ok: false, message: "a thread lost its days" } : second;
}

/** On a thread: the days that it was sent last. */
function createServer(): (message: Message) => Response {
  let own: { readonly id: number; readonly world: TuneWorld } | undefined;
  return ({ worldId, world, task }) => {
    if (world !== undefined) own = { id: worldId, world };
    return own?.id === worldId ? evaluateTask(own.world, task) : { ok: "no-world" };
  };
}

serveTasks(kind.name, createServer());
