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

/** A program that sends one response for each message. */
export interface Helper {
  readonly pid: number;
  request<Response>(message: object): Promise<Response>;
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
    request: async <Response>(request: object) => {
      const response = message(child);
      child.send(request);
      return (await response) as Response;
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
    const [response] = await Promise.race([once(child, "message", { signal: ended.signal }), gone]);
    return response;
  } finally {
    ended.abort();
    gone.catch(() => {});
  }
}

/** The other end: says that it is there, then responds. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the parent sends
export function serveParent<Request>(respond: (request: Request) => Promise<object> | object): void {
  process.on("message", (request) => {
    void (async () => {
      process.send?.(await respond(request as Request));
    })();
  });
  // There is no parent to respond to.
  process.on("disconnect", () => process.exit(0));
  process.send?.({ type: "ready" });
}
