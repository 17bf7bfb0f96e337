// Runs the parts of a whole check, each to its end, and closes with the time and the counts of all of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { choose, clock, countsOf, failureText, type Part, type PartResult, summary } from "./ci/parts.ts";

const root = join(import.meta.dirname, "..");
/** More than what a part says of its failures. */
const KEPT_CHARACTERS = 300_000;

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
  const results: PartResult[] = [];
  for (const part of chosen) {
    if (interruption.signal.aborted) break;
    console.log(`== ${part.name}: npm ${part.args.join(" ")}`);
    const result = await run(part, interruption.signal);
    results.push(result);
    console.log(`== ${part.name}: ${clock(result.seconds)} of ${part.minutes}:00`);
  }
  // Again at the end, where whoever reads only the end sees them.
  for (const { name, failures } of results)
    if (failures !== undefined) console.log(`== what failed in ${name}\n${failures}`);
  for (const text of summary(results)) console.log(text);
  const isWhole = results.length === chosen.length;
  const isGreen = results.every(({ failed }) => failed === 0);
  // A part that is interrupted may end well.
  return isWhole && isGreen && !interruption.signal.aborted ? 0 : 1;
}

/** Its output is seen as it comes. */
async function run(part: Part, interrupted: AbortSignal): Promise<PartResult> {
  const startedAt = performance.now();
  const child = spawn("npm", [...part.args], {
    cwd: root,
    env: { ...process.env, ...part.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => child.kill("SIGTERM");
  interrupted.addEventListener("abort", end);
  let output = "";
  const keep = (stream: Readable, seen: NodeJS.WritableStream): void => {
    stream.setEncoding("utf8").on("data", (text: string) => {
      seen.write(text);
      output = (output + text).slice(-KEPT_CHARACTERS);
    });
  };
  keep(child.stdout, process.stdout);
  keep(child.stderr, process.stderr);
  const [code] = (await once(child, "close")) as [number | null];
  interrupted.removeEventListener("abort", end);
  const seconds = (performance.now() - startedAt) / 1000;
  const counts = countsOf(output, code === 0);
  return {
    name: part.name,
    seconds,
    ...counts,
    failures: counts.failed > 0 ? failureText(output) : undefined,
  };
}

process.exitCode = await main(process.argv.slice(2));
