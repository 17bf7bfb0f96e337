import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A real process of the autoscaler. */
export interface Run {
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** The log so far. */
  readonly lines: () => readonly Record<string, unknown>[];
}

/** Runs until the test is over at the latest. */
export function run(...argv: string[]): Run {
  return runWith({}, argv);
}

/** `before`: a module that is loaded before the program. */
export function runWith(
  o: { readonly before?: string; readonly env?: Readonly<Record<string, string>> },
  argv: readonly string[],
): Run {
  const nodeArgs = o.before === undefined ? [] : ["--import", o.before];
  const child = spawn(process.execPath, ["--conditions=@plimsoll/source", ...nodeArgs, main, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...o.env },
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { lines, output: () => output, errors: () => errors, ended, kill: (signal) => child.kill(signal) };
}
