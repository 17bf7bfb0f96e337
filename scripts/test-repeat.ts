// Runs the whole "npm test" again and again, to see how long it takes and whether it ever fails by chance.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RepeatOptions, readOptions, usage } from "./repeat/options.ts";
import { type Progress, repeat } from "./repeat/repeat.ts";
import { runTests, startLoad } from "./repeat/run-tests.ts";

const root = join(import.meta.dirname, "..");

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    return 0;
  }
  let options: RepeatOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`repeat: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  return run(options);
}

async function run({ times, load, isReset }: RepeatOptions): Promise<number> {
  const file = join(root, "node_modules", ".cache", `test-repeat-${load}.json`);
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => interruption.abort());
  const busy = startLoad(load);
  try {
    const runs = await repeat({
      times,
      conditions: `${sourcesOf()}, load ${load}`,
      kept: isReset ? undefined : read(file),
      runOnce: () => runTests(root, interruption.signal),
      keep: (progress) => keep(file, progress),
      print: (line) => console.log(line),
    });
    return runs.length === times && runs.every(({ failed }) => failed.length === 0) ? 0 : 1;
  } finally {
    await busy.end();
  }
}

/** Names the commit and what was changed since. */
function sourcesOf(): string {
  const changes = createHash("sha256").update(git("diff", "HEAD")).update(git("status", "--porcelain"));
  return `commit ${git("rev-parse", "HEAD")}, changes ${changes.digest("hex")}`;
}

function git(...args: readonly string[]): string {
  return spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 }).stdout.trim();
}

function read(file: string): Progress | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Progress;
  } catch {
    // The first call, or one that was cut off while it wrote.
    return undefined;
  }
}

function keep(file: string, progress: Progress | undefined): void {
  if (progress === undefined) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(progress));
}

process.exitCode = await main(process.argv.slice(2));
