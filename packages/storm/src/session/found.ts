// Reports a violation: what it is, the few events that it needs, and how to see it again.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "../options/options.ts";
import { runScenario } from "../run/run.ts";
import type { Found } from "../run/violation.ts";
import { shrinkScenario } from "../shrink/shrink-scenario.ts";
import type { Session } from "./session.ts";

/** Prints it, and writes the shrunk scenario unless it came from a file. */
export async function reportFound(found: Found, options: Options, session: Session): Promise<void> {
  const { scenario, violation } = found;
  const { print } = session;
  const { seed } = scenario;
  print(`\nviolated: ${violation.invariant}, seed ${seed}, ${minutesOf(violation.atMs)} after the start`);
  print(`  ${violation.message}`);
  if (options.replay !== undefined) return;
  const shrunk = await shrunkFor(options.shrinkSeconds, found, session);
  if (shrunk !== undefined) printShrunk(shrunk, print);
  const path = join(options.out, `storm-${seed}.json`);
  await writeFile(path, `${JSON.stringify((shrunk ?? found).scenario, undefined, 2)}\n`);
  print(`  replay: npm run storm -- --replay ${path}\n`);
}

function printShrunk({ scenario: { events, setup }, violation }: Found, print: Session["print"]): void {
  print(`  shrunk to ${events.length} events and ${setup.objects.length} objects: ${violation.message}`);
  for (const { atMs, forMs, kind, details } of events)
    print(`    ${minutesOf(atMs)}: ${kind} for ${String(forMs / 1000)} s ${JSON.stringify(details)}`);
}

/** Undefined when there is no time for it. */
async function shrunkFor(
  seconds: number,
  found: Found,
  { signal, parts, watchdog, report }: Session,
): Promise<Found | undefined> {
  const untilMs = performance.now() + seconds * 1000;
  const isOver = () => signal.aborted || performance.now() > untilMs;
  if (isOver()) return undefined;
  return shrinkScenario(found, {
    run: async (candidate) => (await runScenario(candidate, parts, { signal, watchdog, report })).violation,
    isOver,
  });
}

function minutesOf(ms: number): string {
  return `${(ms / 60_000).toFixed(2)} min`;
}
