// A command in a shell, with all that it starts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { kill } from "node:process";

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

/** Answers have some kilobytes; the largest vectors some hundred. */
const maxLineBytes = 64 * 1024 * 1024;

/** The lines of a stream, without their ends; the last one may have no end. Throws Error when one is too long. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = () => {
    const line = Buffer.concat(parts).toString("utf8");
    parts = [];
    bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > maxLineBytes)
      throw new Error(`a line of the implementation is longer than ${String(maxLineBytes)} bytes`);
  }
  if (bytes > 0) yield take();
}
