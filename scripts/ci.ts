// Runs the parts of a whole check, each to its end, and closes with the time and the counts of all of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  choose,
  clock,
  countsOf,
  failureText,
  type Part,
  type PartResult,
  stepsOf,
  summary,
} from "./ci/parts.ts";

const root = join(import.meta.dirname, "..");
/** More than what a part says of its failures. */
const KEPT_CHARACTERS = 300_000;
/** Has the release that the suites share. */
const releases = mkdtempSync(join(tmpdir(), "plimsoll-released-"));

interface Ran extends PartResult {
  /** The end of it. */
  readonly output: string;
}

async function main(names: readonly string[]): Promise<number> {
  let chosen: readonly Part[];
  try {
    chosen = choose(names);
  } catch (error) {
    console.error(`ci: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => interruption.abort());
  const startedAt = performance.now();
  const results: Ran[] = [];
  for (const step of stepsOf(chosen)) {
    if (interruption.signal.aborted) break;
    results.push(...(await runStep(step, interruption.signal)));
  }
  // Again at the end, where whoever reads only the end sees them.
  const red = results.filter(({ failed }) => failed > 0);
  for (const { name, output } of red)
    console.log(`== what failed in ${name}\n${failureText(output, red.length)}`);
  for (const text of summary(results, (performance.now() - startedAt) / 1000)) console.log(text);
  const isWhole = results.length === chosen.length;
  // A part that is interrupted may end well.
  return isWhole && red.length === 0 && !interruption.signal.aborted ? 0 : 1;
}

/** Its parts run at the same time. The output of the last one is seen as it comes, that of the others after it. */
async function runStep(step: readonly Part[], interrupted: AbortSignal): Promise<readonly Ran[]> {
  const print = (chunk: string): void => void process.stdout.write(chunk);
  const title = ({ name, args }: Part): void => console.log(`== ${name}: npm ${args.join(" ")}`);
  const last = step.at(-1);
  const runs = step.map((part) => {
    if (part === last) title(part);
    const held: string[] = [];
    const see = part === last ? print : (chunk: string) => void held.push(chunk);
    return { part, held, ended: run(part, interrupted, see) };
  });
  const results: Ran[] = [];
  for (const { part, held, ended } of runs.toReversed()) {
    const result = await ended;
    if (part !== last) title(part);
    print(held.join(""));
    console.log(`== ${part.name}: ${clock(result.seconds)} of ${part.minutes}:00`);
    results.push(result);
  }
  return results;
}

async function run(part: Part, interrupted: AbortSignal, see: (chunk: string) => void): Promise<Ran> {
  const startedAt = performance.now();
  const child = spawn("npm", [...part.args], {
    cwd: root,
    env: { ...process.env, PLIMSOLL_RELEASES: releases, ...part.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => child.kill("SIGTERM");
  interrupted.addEventListener("abort", end);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      see(text);
      output = (output + text).slice(-KEPT_CHARACTERS);
    });
  const [code] = (await once(child, "close")) as [number | null];
  interrupted.removeEventListener("abort", end);
  const seconds = (performance.now() - startedAt) / 1000;
  return { name: part.name, seconds, ...countsOf(output, code === 0), output };
}

try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  rmSync(releases, { recursive: true, force: true });
}
