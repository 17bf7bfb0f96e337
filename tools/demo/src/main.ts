// npm run demo: starts the demo, and ends all that it started, however it ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Guard, startGuard } from "./guard.ts";
import { Interrupted } from "./interrupted.ts";
import { parseDemoOptions, usage } from "./options.ts";
import { runDemo } from "./run.ts";

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => interrupt.abort(new Interrupted(signal)));
}
// A terminal that is gone refuses what is written to it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", () => interrupt.abort(new Interrupted("SIGPIPE")));
}

async function main(): Promise<number> {
  const prometheus = process.env["PROMETHEUS"];
  if (prometheus === undefined) {
    process.stderr.write("demo: PROMETHEUS is not a program; start the demo with 'npm run demo'\n");
    return 1;
  }
  let options: ReturnType<typeof parseDemoOptions>;
  try {
    options = parseDemoOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
    return 2;
  }
  if (options === "help") {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-demo-"));
  const guard = startGuard(folder, interrupt.signal);
  try {
    const run = { ...options, folder, prometheus, out: process.stdout };
    const demo = runDemo({ ...run, signal: interrupt.signal, onSpawn: guard.watch });
    return await Promise.race([demo, deadline(guard)]);
  } catch (error) {
    // What fails after an interruption fails because of it.
    if (interrupt.signal.reason instanceof Interrupted) return interrupt.signal.reason.exitCode;
    throw error;
  } finally {
    guard.killAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    guard.close();
  }
}

/** Children that have not stopped by then are killed; what is still not over after the same time again is left. */
const GRACE_MS = 3_000;

/** Never resolves; rejects when an interrupted demo does not come to its end. */
async function deadline(guard: Guard): Promise<never> {
  await new Promise((resolve) => interrupt.signal.addEventListener("abort", resolve, { once: true }));
  await new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref());
  guard.killAll();
  await new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref());
  throw interrupt.signal.reason;
}

process.exitCode = await main();
// An interrupted demo may have left something open.
if (interrupt.signal.aborted) process.exit();
