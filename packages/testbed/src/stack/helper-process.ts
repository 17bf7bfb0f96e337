// Starts helper processes of benchmarks, on their own CPU.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/** The system under test has a core of its own; everything else shares the other. */
export const cores = { tested: 1, rest: 0 };

/** A command confined to a core, where the machine has two and util-linux. */
export function pinned(
  core: number,
  command: string,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  if (process.platform !== "linux" || availableParallelism() < 2) return { command, args };
  return { command: "taskset", args: ["-c", String(core), command, ...args] };
}

/** A program that answers each message with one message. */
export interface Helper {
  readonly pid: number;
  ask<Answer>(message: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** Without a core it runs on any. */
export async function startHelper(program: URL, core?: number): Promise<Helper> {
  const own = ["--conditions=@plimsoll/source", fileURLToPath(program)];
  const { command, args } =
    core === undefined ? { command: process.execPath, args: own } : pinned(core, process.execPath, own);
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  await message(child);
  return {
    pid: child.pid ?? 0,
    ask: async <Answer>(question: object) => {
      const answer = message(child);
      child.send(question);
      return (await answer) as Answer;
    },
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function message(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const gone = once(child, "exit", { signal: ended.signal }).then(([code]) => {
    throw new Error(`a helper process ended with ${code}`);
  });
  try {
    const [answer] = await Promise.race([once(child, "message", { signal: ended.signal }), gone]);
    return answer;
  } finally {
    ended.abort();
    gone.catch(() => {});
  }
}

/** The other end: says that it is there, then answers. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the parent sends
export function serveParent<Question>(answer: (question: Question) => Promise<object> | object): void {
  process.on("message", (question) => {
    void (async () => {
      process.send?.(await answer(question as Question));
    })();
  });
  // There is no parent to answer.
  process.on("disconnect", () => process.exit(0));
  process.send?.({ type: "ready" });
}
