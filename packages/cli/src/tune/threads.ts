// Candidates on days, on threads: each thread is given the days once.
import {
  type Clock,
  createWorkerTasks,
  forEachLimit,
  serveTasks,
  type WorkerTasks,
} from "@plimsoll/component-base";
import {
  type EvaluateBatch,
  evaluateTask,
  type TuneOutcome,
  type TuneTask,
  type TuneWorld,
} from "@plimsoll/simulator";

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

const name = "tune";
/** A day takes a second at most, on a machine that does other things more. */
const budget = { timeMs: 600_000, memoryMb: 1024 };

/** At an interruption a batch ends without what is under way. */
export function createTuneThreads(
  jobs: number,
  seams: { readonly clock: Clock; readonly signal: AbortSignal },
): TuneThreads {
  const { signal, clock } = seams;
  const threads = Array.from({ length: jobs }, () => createThread(clock));
  const worlds = new Map<TuneWorld, number>();
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return {
    async evaluate({ world, tasks }, report) {
      const worldId = worlds.get(world) ?? worlds.size;
      worlds.set(world, worldId);
      const idle = [...threads];
      const all = forEachLimit(threads.length, [...tasks.entries()], async ([index, task]) => {
        const thread = idle.pop();
        if (thread === undefined || signal.aborted) return;
        const outcome = await outcomeOf(thread, { worldId, task }, world);
        idle.push(thread);
        if (!signal.aborted) report(index, outcome);
      });
      await Promise.race([all, aborted]);
    },
    stop() {
      for (const thread of threads) thread.stop();
    },
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

function createThread(clock: Clock): WorkerTasks<Message, Response> {
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
          : `a day took more ${failure.reason} than it may (${budget.timeMs / 60_000} min, ${budget.memoryMb} MB)`,
    }),
  });
}

/** On a thread: the days that it was sent last. */
function createServer(): (message: Message) => Response {
  let own: { readonly id: number; readonly world: TuneWorld } | undefined;
  return ({ worldId, world, task }) => {
    if (world !== undefined) own = { id: worldId, world };
    return own?.id === worldId ? evaluateTask(own.world, task) : { ok: "no-world" };
  };
}

serveTasks(name, createServer());
