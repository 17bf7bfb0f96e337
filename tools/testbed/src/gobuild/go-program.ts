// Builds a Go program at pinned versions.
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { accessSync, constants, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** A main package of others, pinned by a go.mod and a go.sum; or one of ours beside these, as ".". */
export interface GoProgram {
  /** What its binary is called. */
  readonly name: string;
  /** The import path of its main package. */
  readonly source: string;
  /** The folder with the pins. */
  readonly module: string;
  /** The folder in the cache, which programs of the same pins share. */
  readonly cache: string;
  readonly linkerFlags: readonly string[];
  /** What to do where there is no Go, after "install Go 1.26 or newer". */
  readonly otherwise: string;
}

const progressEveryMs = 15_000;

/** The path of a program built from the pinned modules; building it takes minutes the first time. */
export async function buildGoProgram(
  program: GoProgram,
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const { name } = program;
  const folder = cacheFolder(program, environment);
  const binary = join(folder, name);
  if (isExecutable(binary)) return binary;
  const go = findOnPath("go", environment);
  if (go === undefined) {
    throw new Error(
      `${name} is built with Go, and there is no "go" on the PATH: install Go 1.26 or newer${program.otherwise}`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const unfinished = `${binary}.${randomUUID()}`;
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  report(`building ${name}, once, into ${folder} (minutes)`);
  const progress = setInterval(() => report(`building ${name} … ${seconds()} s`), progressEveryMs);
  try {
    await build(go, program, unfinished, environment);
    renameSync(unfinished, binary);
    report(`built ${name} in ${seconds()} s`);
  } finally {
    clearInterval(progress);
    rmSync(unfinished, { force: true });
  }
  return binary;
}

/** One folder for each state of the pins, so that a new version is never mixed with an old one. */
function cacheFolder({ module, cache }: GoProgram, environment: NodeJS.ProcessEnv): string {
  const hash = createHash("sha256");
  const own = globSync("*.go", { cwd: module }).sort();
  for (const file of ["go.mod", "go.sum", ...own]) hash.update(readFileSync(join(module, file)));
  hash.update(`${process.platform}/${process.arch}`);
  const caches = environment["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(caches, "plimsoll", cache, hash.digest("hex").slice(0, 16));
}

async function build(
  go: string,
  { source, module, linkerFlags }: GoProgram,
  output: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const flags = ["-s", "-w", ...linkerFlags].join(" ");
  const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", output, source];
  const child = spawn(go, args, {
    cwd: module,
    env: { ...environment, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-10_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`go build ${source} ended with exit code ${code}:\n${errors}`);
}

/** The version of a module that a folder's go.mod pins, such as v1.37.1. */
export function pinnedVersion(folder: string, module: string): string {
  const lines = readFileSync(join(folder, "go.mod"), "utf8").split("\n");
  const found = lines.map((line) => line.trim().split(" ")).find(([path]) => path === module);
  if (found?.[1] === undefined) throw new Error(`${folder}/go.mod does not pin ${module}`);
  return found[1];
}

function findOnPath(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  return (environment["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
