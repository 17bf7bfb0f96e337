import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A real process of the autoscaler. */
export interface Run {
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
  readonly pid: number;
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
  options: {
    readonly before?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Where its log goes: to be read here unless it is said. */
    readonly log?: number;
    /** A command that runs the program. */
    readonly prefix?: readonly string[];
    readonly nodeFlags?: readonly string[];
    /** Of another version. */
    readonly program?: string;
  },
  argv: readonly string[],
): Run {
  const imports = options.before === undefined ? [] : ["--import", options.before];
  const flags = ["--conditions=@plimsoll/source", ...imports, ...(options.nodeFlags ?? [])];
  const [command = "", ...args] = [
    ...(options.prefix ?? []),
    process.execPath,
    ...flags,
    options.program ?? main,
    ...argv,
  ];
  const child = spawn(command, args, {
    stdio: ["ignore", options.log ?? "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  let output = "";
  let errors = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
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
  return {
    lines,
    output: () => output,
    errors: () => errors,
    ended,
    pid: child.pid ?? 0,
    kill: (signal) => child.kill(signal),
  };
}
