// Tasks on several threads: each thread has one at a time, and an interruption does not wait for what is under way.
import {
  type Awaitable,
  type Clock,
  createWorkerTasks,
  forEachLimit,
  race,
  type WorkerTasks,
} from "@plimsoll/component-base";

/** Threads of one kind. */
export interface ThreadPool<Message, Response> {
  /**
   * One task after the other, each on a thread that is free. It resolves when all are reported, or at an interruption;
   * after that nothing is reported.
   */
  run<Task, Outcome>(
    tasks: readonly Task[],
    work: (thread: WorkerTasks<Message, Response>, task: Task) => Awaitable<Outcome>,
    report: (index: number, outcome: Outcome) => void,
  ): Promise<void>;
  /** Ends them; what is under way is left. */
  stop(): void;
}

/** What a thread is, and what it may take. */
export interface ThreadKind {
  /** As the file serves it. */
  readonly name: string;
  readonly file: URL;
  readonly budget: { readonly timeMs: number; readonly memoryMb: number };
  /** What one task is called in errors, such as "a day". */
  readonly task: string;
}

export type FailedTask = { readonly ok: false; readonly message: string };

/** Ends its runs when the signal is aborted. */
export function createThreadPool<Message, Response>(
  jobs: number,
  kind: ThreadKind,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): ThreadPool<Message, Response | FailedTask> {
  const threads = Array.from({ length: jobs }, () => createThread<Message, Response>(kind, clock));
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return {
    async run(tasks, work, report) {
      const idle = [...threads];
      const all = forEachLimit(threads.length, [...tasks.entries()], async ([index, task]) => {
        const thread = idle.pop();
        if (thread === undefined || signal.aborted) return;
        const outcome = await work(thread, task);
        idle.push(thread);
        if (!signal.aborted) report(index, outcome);
      });
      await race([all, aborted]);
    },
    stop() {
      for (const thread of threads) thread.stop();
    },
  };
}

function createThread<Message, Response>(
  { name, file, budget, task }: ThreadKind,
  clock: Clock,
): WorkerTasks<Message, Response | FailedTask> {
  return createWorkerTasks<Message, Response | FailedTask>({
    name,
    clock,
    budget,
    file,
    failed: (failure) => ({
      ok: false,
      message:
        failure.reason === "error"
          ? failure.message
          : `${task} exceeded its limit of ${failure.reason} (${budget.timeMs / 60_000} min, ${budget.memoryMb} MB)`,
    }),
  });
}
