import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { messageOf } from "@plimsoll/component-base";
import { longWaitMs } from "./until.ts";

/** A process of ours that has said it is ready. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** What the process printed so far, oldest first, at most the last 2,000 lines. */
  readonly lines: readonly string[];
  /** Resolves with the exit code once the process is gone. */
  readonly exited: Promise<number | null>;
  /** Sends SIGTERM, and SIGKILL after the grace. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called with every line; the child is ready once this returns a value. */
  readonly ready: (line: string) => boolean;
  readonly timeoutMs?: number;
  /** Called once the process exists, before it is ready. */
  readonly onSpawn?: ((child: ChildProcess) => void) | undefined;
}

const KEPT_LINES = 2000;

/** Starts a process and waits until it is ready. @throws when it exits or stays silent before that. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, timeoutMs = longWaitMs } = options;
  const child = spawn(options.command, options.args, {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid !== undefined) options.onSpawn?.(child);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      if (options.ready(line)) ready.resolve();
    });
  }
  const silent = setTimeout(() => ready.reject(new Error("did not become ready in time")), timeoutMs);
  child.once("error", (error) => ready.reject(error));
  child.once("exit", (code) => ready.reject(new Error(`ended with exit code ${code}`)));
  try {
    await ready.promise;
  } catch (error) {
    child.kill("SIGKILL");
    const reason = messageOf(error);
    throw new Error(`${name} ${reason}:\n${lines.slice(-20).join("\n")}`, { cause: error });
  } finally {
    clearTimeout(silent);
  }
  return {
    name,
    pid: child.pid ?? 0,
    lines,
    exited,
    stop: (graceMs = 10_000) => stop(child, exited, graceMs),
  };
}

async function stop(child: ChildProcess, exited: Promise<unknown>, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(timer);
}

export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that ends by itself. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}
