import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve, sep } from "node:path";

export const coreDir = resolve(import.meta.dirname, "../..");
export const repoDir = resolve(coreDir, "../..");

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly "@plimsoll/source": string }>>;
}

/** What the package exports, such as "./quantity", each with the file of its source. */
export const entries: readonly (readonly [entry: string, source: string])[] = Object.entries(
  (JSON.parse(readFileSync(join(coreDir, "package.json"), "utf8")) as Manifest).exports,
).map(([entry, conditions]) => [entry, join(coreDir, conditions["@plimsoll/source"])]);

/** A child's environment as another machine has it: none of this workspace's conditions or tools. */
const outside: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_OPTIONS: undefined,
  NODE_PATH: undefined,
  PATH: outsideFolders().join(delimiter),
};

function outsideFolders(): readonly string[] {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !`${resolve(folder)}${sep}`.includes(`${sep}node_modules${sep}`));
}

/** First program of one of these names on the PATH, leaving out what this workspace installed. */
export function findProgram(names: readonly string[]): string | undefined {
  const paths = names.flatMap((name) => outsideFolders().map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path));
}

/** Runs a program to its end; throws with its output when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const child = spawnSync(command, args, { cwd, env: outside, encoding: "utf8", maxBuffer: 64 << 20 });
  if (child.status === 0) return child.stdout;
  const said = child.error?.message ?? `${child.stdout}${child.stderr}`;
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd}:\n${said}`);
}

/** The node that a user would run: the first one outside the workspace, or else the one that runs this. */
export function plainNode(): string {
  return findProgram(["node"]) ?? process.execPath;
}

export function plainNpm(): string {
  return findProgram(["npm"]) ?? "npm";
}
