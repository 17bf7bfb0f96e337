// Runs tasks on a thread of their own, within a budget of time and memory.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { messageOf } from "@plimsoll/core/internal/values";
import type { Clock } from "../clock/clock.ts";
import type { Awaitable } from "./awaitable.ts";

/** Does what may take long: on a thread of its own, or at once in tests. Rejects on bugs only. */
export type RunTask<Task, Result> = (
  task: Task,
  /** Is given how long a task took on another thread, before its result. */
  onTook?: (tookMs: number) => void,
) => Awaitable<Result>;

/** What one task may take. A thread that takes more is ended, and the next task has a new one. */
export interface TaskBudget {
  readonly timeMs: number;
  readonly memoryMb: number;
}

/** Why a task has no result. */
export type TaskFailure =
  | { readonly reason: "time" | "memory"; readonly budget: TaskBudget }
  | { readonly reason: "error"; readonly message: string };

/** Where tasks run, and what they may take. */
export interface WorkerTasksOptions<Result> {
  /** Of the kind of tasks, as `serveTasks` has it: one file may serve several kinds. */
  readonly name: string;
  readonly clock: Clock;
  readonly budget: TaskBudget;
  /** The file of the thread, which calls `serveTasks`. */
  readonly file: URL;
  /** The result of a task that has none of its own. */
  readonly failed: (failure: TaskFailure) => Result;
}

/** A thread for tasks. */
export interface WorkerTasks<Task, Result> {
  /** One after another: the caller waits for a result before the next task. */
  readonly run: RunTask<Task, Result>;
  stop(): void;
}

interface Response<Result> {
  readonly result: Result;
  readonly tookMs: number;
}

/** A thread is kept for so long without a task. */
const idleMs = 10_000;
const marker = "plimsoll-tasks/";
/** Whether this thread is one for tasks: the program's only file is what it runs, too. */
export const isTaskThread = !isMainThread && typeof workerData === "string" && workerData.startsWith(marker);

/** Starts a thread with the first task, and ends it when there are none for a while. */
export function createWorkerTasks<Task, Result>(
  options: WorkerTasksOptions<Result>,
): WorkerTasks<Task, Result> {
  let current: Promise<Worker> | undefined;
  let cancelIdle = (): void => {};
  const end = (): void => {
    cancelIdle();
    void current?.then((worker) => worker.terminate()).catch(() => undefined);
    current = undefined;
  };
  const start = (): Promise<Worker> => {
    const starting = started(options, () => {
      // One that ends between tasks would respond no more.
      if (current === starting) current = undefined;
    });
    return starting;
  };
  return {
    async run(task, onTook) {
      cancelIdle();
      try {
        // Starting takes its time on a busy machine, which is not the task's.
        current ??= start();
        const { result, tookMs } = await responseOf<Result>(await current, task, { ...options, end });
        onTook?.(tookMs);
        return result;
      } catch (error) {
        end();
        return options.failed({ reason: "error", message: messageOf(error) });
      } finally {
        cancelIdle = options.clock.after(idleMs, end);
      }
    },
    stop: end,
  };
}

/** Calls `end` when the task took more than its budget. */
function responseOf<Result>(
  worker: Worker,
  task: unknown,
  { budget, clock, end, failed }: WorkerTasksOptions<Result> & { readonly end: () => void },
): Promise<Response<Result>> {
  return new Promise((resolve) => {
    const finish = (response: Response<Result>): void => {
      cancel();
      worker.off("message", finish);
      worker.off("exit", onExit);
      resolve(response);
    };
    const giveUp = (reason: "time" | "memory"): void => {
      finish({ result: failed({ reason, budget }), tookMs: budget.timeMs });
      end();
    };
    const onExit = (): void => giveUp("memory");
    const cancel = clock.after(budget.timeMs, () => giveUp("time"));
    worker.once("message", finish);
    worker.once("exit", onExit);
    worker.postMessage(task);
  });
}

/** Rejects where it cannot be started, such as for want of threads or of its file. */
function started(
  { name, budget, file }: Pick<WorkerTasksOptions<unknown>, "name" | "budget" | "file">,
  onEnd: () => void,
): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, {
      workerData: `${marker}${name}`,
      resourceLimits: { maxOldGenerationSizeMb: budget.memoryMb, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    // It ends after an error, which is when it counts.
    worker.on("error", reject);
    worker.once("exit", () => {
      onEnd();
      reject(new Error("its thread ended"));
    });
    worker.once("message", () => resolve(worker));
  });
}

/** Runs tasks when this thread is one for tasks of this name; does nothing otherwise. */
export function serveTasks(name: string, run: (task: never) => unknown): void {
  if (!isTaskThread || workerData !== `${marker}${name}`) return;
  parentPort?.on("message", (task: unknown) => {
    // On this thread: what its start took is not the task's.
    const fromMs = performance.now();
    const result = run(task as never);
    parentPort?.postMessage({ result, tookMs: performance.now() - fromMs } satisfies Response<unknown>);
  });
  parentPort?.postMessage("ready");
}
