// The terminals of a reader of a page.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { prometheusProgram, until } from "@plimsoll/testbed";

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

export interface ReadersShell {
  /** The folder that the terminal for commands is in. */
  folder(): string;
  /** Runs commands in the terminal for commands, which keeps its folder and its variables. The code is null after too long. */
  run(script: string): Promise<Ran>;
  /** Starts a script that ends as a program, in a new terminal in the folder of the other, without its variables. */
  start(script: string): void;
  /** Ends the programs. */
  close(): Promise<void>;
}

export interface ReadersShellOptions {
  /** Where the terminals are opened. */
  readonly folder: string;
  /** The clone that the tests are in. An empty folder hides it, unless the reader has a clone. */
  readonly hidden?: string;
  /** Beside those of the machine. */
  readonly programs?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Less than the limit of a test, so that the commands are named; some of them wait for two minutes by themselves. */
const runMs = 200_000;

/** On the PATH are Prometheus, and what the machine has. */
export function readersShell(options: ReadersShellOptions): ReadersShell {
  const memory = mkdtempSync(join(tmpdir(), "plimsoll-reader-"));
  const [place, variables] = [join(memory, "folder"), join(memory, "variables")];
  const folder = () => (existsSync(place) ? readFileSync(place, "utf8").trimEnd() : options.folder);
  const programs: ChildProcess[] = [];
  const commands = new Set<ChildProcess>();
  const shell = (script: string): ChildProcess => {
    const [command, ...args] = isolated(options, script);
    return spawn(command ?? "", args, {
      cwd: folder(),
      env: environmentOf(options),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  };
  return {
    folder,
    async run(script) {
      const before = existsSync(variables) ? `. "${variables}"\n` : "";
      const command = shell(`${before}${script}\nexport -p > "${variables}"\npwd -P > "${place}"`);
      commands.add(command);
      const ran = await ended(command);
      commands.delete(command);
      return ran;
    },
    start(script) {
      const program = shell(script);
      program.stdout?.resume();
      program.stderr?.resume();
      programs.push(program);
    },
    async close() {
      // A command still runs where a test was given up.
      for (const { pid } of [...commands, ...programs.toReversed()]) await end(pid);
      rmSync(memory, { recursive: true, force: true });
    },
  };
}

function environmentOf(options: ReadersShellOptions): NodeJS.ProcessEnv {
  const machine = (process.env["PATH"] ?? "").split(delimiter);
  const path = [options.programs ?? [], machine, dirname(prometheusProgram())].flat();
  const PATH = path.filter((one) => !one.includes("node_modules")).join(delimiter);
  return { HOME: options.folder, PATH, ...options.variables };
}

/** The command that runs a script, while an empty file system hides the clone. */
function isolated({ hidden }: ReadersShellOptions, script: string): readonly string[] {
  if (hidden === undefined) return ["sh", "-ec", script];
  const hide = 'mount -t tmpfs none "$1"; exec sh -ec "$2"';
  return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", hide, "sh", hidden, script];
}

async function ended(child: ChildProcess): Promise<Ran> {
  const output: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const tooLong = setTimeout(() => killGroup(child.pid, "SIGKILL"), runMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(tooLong);
  return { code, output: output.join("") };
}

/** Ends a group of processes: npm has children of its own, which end after it. */
async function end(group: number | undefined): Promise<void> {
  if (group === undefined || !isAlive(group)) return;
  killGroup(group, "SIGTERM");
  await until(`the end of the process group ${group}`, () => (isAlive(group) ? undefined : true));
}

function killGroup(group: number | undefined, signal: NodeJS.Signals): void {
  if (group !== undefined) process.kill(-group, signal);
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
