// Runs seeds or a file, one after the other, and reports what was found.
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "../options/options.ts";
import type { Parts } from "../run/parts.ts";
import { runScenario } from "../run/run.ts";
import type { Found, RunResult } from "../run/violation.ts";
import { type DrawOptions, drawScenario } from "../scenario/draw.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { shrinkScenario } from "../shrink/shrink-scenario.ts";
import type { Status } from "../supervisor/status.ts";
import type { Watchdog } from "../watchdog/watchdog.ts";

const maxDrawnSeed = 1_000_000_000;

/** The exit code of the process: 0, 1 when an invariant was violated, 130 when it was interrupted. */
export async function storm(options: Options, session: Session): Promise<number> {
  const figures = createFigures();
  const trace = options.trace === undefined ? undefined : createWriteStream(options.trace);
  let isFound = false;
  for await (const scenario of scenarios(options, session)) {
    const result = await runTimed(scenario, figures, session, trace);
    if (session.signal.aborted) break;
    if (result.violation === undefined) continue;
    isFound = true;
    await reportFound({ scenario, violation: result.violation }, options, session);
    break;
  }
  await closed(trace);
  session.print(figures.summary());
  if (isFound) return 1;
  return session.signal.aborted ? 130 : 0;
}

/** The file, one seed, or one seed after the other until the time is up. */
async function* scenarios(
  { replay, seed, hours, minutes }: Options,
  { parts: { faults }, drawSetup }: Session,
): AsyncGenerator<Scenario> {
  if (replay !== undefined) {
    yield JSON.parse(await readFile(replay, "utf8")) as Scenario;
    return;
  }
  const untilMs = performance.now() + (minutes ?? 0) * 60_000;
  let next = seed ?? Math.ceil(Math.random() * maxDrawnSeed);
  do {
    yield drawScenario(next, { faults, drawSetup, hours });
    next += 1;
  } while (performance.now() < untilMs);
}

/** Prints a line for the run. */
async function runTimed(
  scenario: Scenario,
  figures: Figures,
  { signal, parts, print, watchdog, report }: Session,
  trace: WriteStream | undefined,
): Promise<RunResult> {
  const from = process.cpuUsage();
  const result = await runScenario(scenario, parts, {
    signal,
    watchdog,
    report,
    ...(trace === undefined ? {} : { writeTrace: (text: string) => void trace.write(text) }),
  });
  const { user, system } = process.cpuUsage(from);
  print(figures.add(scenario, result, (user + system) / 1e6));
  return result;
}

function closed(stream: WriteStream | undefined): Promise<void> {
  return stream === undefined ? Promise.resolve() : new Promise((resolve) => stream.end(() => resolve()));
}

interface Figures {
  /** Counts a run; returns its line. */
  add(scenario: Scenario, result: RunResult, cpuSeconds: number): string;
  summary(): string;
}

const hourMs = 3_600_000;

function createFigures(): Figures {
  const faults = new Map<string, number>();
  const checks = new Map<string, number>();
  let runs = 0;
  let hours = 0;
  let cpu = 0;
  let failed = 0;

  return {
    add({ seed, setup, events }, result, cpuSeconds) {
      runs += 1;
      hours += result.simulatedMs / hourMs;
      cpu += cpuSeconds;
      if (result.violation !== undefined) failed += 1;
      addTo(faults, result.faults);
      addTo(checks, result.checks);
      return [
        `seed ${seed}: ${(result.simulatedMs / hourMs).toFixed(2)} simulated hours`,
        `${setup.autoscalers} autoscalers (${setup.coordination}), ${setup.adapters} adapters, ${setup.objects.length} objects`,
        `${events.length} events, ${result.requests} requests, ${result.steps} steps`,
        `${cpuSeconds.toFixed(2)} CPU seconds`,
        `trace ${result.hash.slice(0, 16)}`,
      ].join(", ");
    },
    summary() {
      const total = [...faults.values()].reduce((sum, count) => sum + count, 0);
      const speed = cpu > 0 ? Math.round((hours / cpu) * 3600) : 0;
      return [
        `${runs} runs, ${hours.toFixed(2)} simulated hours, ${cpu.toFixed(1)} CPU seconds: ${speed} simulated hours per hour of one core`,
        `${total} faults: ${listed(faults)}`,
        `checks: ${listed(checks)}`,
        `${runs - failed} passed, ${failed} failed`,
      ].join("\n");
    },
  };
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}

function listed(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ");
}

/** Prints it, and writes the shrunk scenario unless it came from a file. */
async function reportFound(found: Found, options: Options, session: Session): Promise<void> {
  const { scenario, violation } = found;
  const { print } = session;
  const { seed } = scenario;
  print(`\nviolated: ${violation.invariant}, seed ${seed}, ${minutesOf(violation.atMs)} after the start`);
  print(`  ${violation.message}`);
  if (options.replay !== undefined) return;
  const shrunk = await shrunkFor(options.shrinkSeconds, found, session);
  if (shrunk !== undefined) printShrunk(shrunk, print);
  const path = join(options.out, `storm-${seed}.json`);
  await mkdir(options.out, { recursive: true });
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

/** Where a session prints, what ends it, and what its worlds are made from. */
interface Session {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly parts: Parts;
  readonly drawSetup: DrawOptions["drawSetup"];
  /** Interrupts steps that never end. */
  readonly watchdog?: Watchdog;
  /** Gets what happens, for the process that supervises this one. */
  readonly report?: (status: Status) => void;
}
