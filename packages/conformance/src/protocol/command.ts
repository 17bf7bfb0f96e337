// A command in a shell, with all that it starts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { kill } from "node:process";
import { linesOf } from "./lines.ts";

export interface RunningCommand {
  /** Of its standard output. */
  readonly lines: AsyncGenerator<string, void, void>;
  /** Code or signal, once the shell has ended. */
  readonly ended: Promise<readonly [code: number | null, signal: string | null]>;
  write(line: string): void;
  endInput(): void;
  /** At once, and with it what it has started. */
  kill(): void;
}

/** What it writes to standard error is passed on. */
export function startCommand(command: string): RunningCommand {
  // A group of its own: what a shell starts does not end with the shell.
  const child = spawn(command, { shell: true, detached: true, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  ended.catch(() => undefined);
  // A write to a process that has ended fails; the missing answer says so better.
  child.stdin.on("error", () => undefined);
  return {
    lines: linesOf(child.stdout),
    ended,
    write: (line) => void child.stdin.write(`${line}\n`),
    endInput: () => void child.stdin.end(),
    kill() {
      try {
        if (child.pid !== undefined) kill(-child.pid, "SIGKILL");
      } catch {
        // All of it has ended.
      }
      child.stdout.destroy();
    },
  };
}
