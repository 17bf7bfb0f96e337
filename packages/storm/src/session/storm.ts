// Runs seeds or a file, one after the other, and reports what was found.
import { createWriteStream, type WriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "../options/options.ts";
import { drawSetup, parts } from "../run/real-parts.ts";
import { runScenario } from "../run/run.ts";
import type { RunResult } from "../run/violation.ts";
import { drawScenario } from "../scenario/draw.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { shrinkScenario } from "../shrink/shrink-scenario.ts";
import { createFigures, type Figures } from "./figures.ts";

/** Where a session prints, and what ends it. */
export interface Terminal {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

const maxShrinkMs = 5 * 60_000;
const maxDrawnSeed = 1_000_000_000;

/** The exit code of the process: 0, 1 when an invariant was violated, 130 when it was interrupted. */
export async function storm(options: Options, terminal: Terminal): Promise<number> {
  const figures = createFigures();
  const trace = options.trace === undefined ? undefined : createWriteStream(options.trace);
  const run = (scenario: Scenario) => runScenario(scenario, parts, runOptions(trace, terminal));
  try {
    for await (const scenario of scenarios(options)) {
      const result = await timed(figures, terminal, scenario, () => run(scenario));
      if (terminal.signal.aborted) break;
      if (result.violation === undefined) continue;
      await reportViolation(scenario, result, options, terminal);
      return 1;
    }
  } finally {
    await closed(trace);
    terminal.print(figures.summary());
  }
  return terminal.signal.aborted ? 130 : 0;
}

/** The file, one seed, or one seed after the other until the time is up. */
async function* scenarios({ replay, seed, hours, minutes }: Options): AsyncGenerator<Scenario> {
  if (replay !== undefined) {
    yield JSON.parse(await readFile(replay, "utf8")) as Scenario;
    return;
  }
  const untilMs = performance.now() + (minutes ?? 0) * 60_000;
  let next = seed ?? Math.ceil(Math.random() * maxDrawnSeed);
  do {
    yield drawScenario(next, { faults: parts.faults, drawSetup, hours });
    next += 1;
  } while (performance.now() < untilMs);
}

function runOptions(trace: WriteStream | undefined, { signal }: Terminal) {
  return trace === undefined ? { signal } : { signal, writeTrace: (text: string) => void trace.write(text) };
}

async function timed(
  figures: Figures,
  { print }: Terminal,
  scenario: Scenario,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  const from = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(from);
  print(figures.add(scenario, result, (user + system) / 1e6));
  return result;
}

async function reportViolation(
  scenario: Scenario,
  { violation }: RunResult,
  options: Options,
  { print, signal }: Terminal,
): Promise<void> {
  if (violation === undefined) return;
  print(`\nviolated: ${violation.invariant}\n  ${violation.message}`);
  print(`  seed ${scenario.seed}, ${described(violation.atMs)} after the start`);
  let best = { scenario, violation };
  if (options.shrink && options.replay === undefined) {
    const untilMs = performance.now() + maxShrinkMs;
    best = await shrinkScenario(best, {
      run: async (candidate) => (await runScenario(candidate, parts, { signal })).violation,
      isOver: () => signal.aborted || performance.now() > untilMs,
    });
    const { events, setup } = best.scenario;
    print(
      `  shrunk to ${events.length} events and ${setup.objects.length} objects: ${best.violation.message}`,
    );
    for (const event of events) {
      print(
        `    ${described(event.atMs)} ${event.kind} for ${event.forMs} ms ${JSON.stringify(event.details)}`,
      );
    }
  }
  if (options.replay !== undefined) return;
  const path = join(options.out, `storm-${scenario.seed}.json`);
  await writeFile(path, `${JSON.stringify(best.scenario, undefined, 2)}\n`);
  print(`  replay: npm run storm -- --replay ${path}`);
}

function described(ms: number): string {
  return `${(ms / 60_000).toFixed(2)} min`;
}

function closed(stream: WriteStream | undefined): Promise<void> {
  return stream === undefined ? Promise.resolve() : new Promise((resolve) => stream.end(() => resolve()));
}
