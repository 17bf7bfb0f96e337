// Runs seeds or a file, one after the other, and reports what was found.
import { createWriteStream, type WriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Options } from "../options/options.ts";
import { runScenario } from "../run/run.ts";
import type { RunResult } from "../run/violation.ts";
import { drawScenario } from "../scenario/draw.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { createFigures, type Figures } from "./figures.ts";
import { reportFound } from "./found.ts";
import type { Session } from "./session.ts";

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
