// What the campaign does in a tree: search MINUTES SEED FILE, shrink FILE, replay FILE or play FILE; the file gets the result.
import { readFile, writeFile } from "node:fs/promises";
import { hourMs } from "@plimsoll/core/internal/values";
import { drawSetup, parts } from "../run/real-parts.ts";
import { runScenario } from "../run/run.ts";
import type { Found, Violation } from "../run/violation.ts";
import { drawScenario } from "../scenario/draw.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { shrinkScenario, withoutLaterEvents } from "../shrink/shrink-scenario.ts";
import { reportAlive, reportStatus } from "../supervisor/status.ts";
import { createWatchdog } from "../watchdog/watchdog.ts";
import type { SearchReport } from "./report.ts";

const maxShrinkSeconds = 40;

const watchdog = await createWatchdog();
const stopReporting = reportAlive();
const options = { watchdog, report: reportStatus };

/** Other processes may have the core meanwhile. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function search(minutes: number, firstSeed: number): Promise<SearchReport> {
  let hours = 0;
  for (let seed = firstSeed; ; seed += 1) {
    const scenario = drawScenario(seed, { faults: parts.faults, drawSetup });
    const { violation, simulatedMs } = await runScenario(scenario, parts, options);
    hours += simulatedMs / hourMs;
    const seconds = cpuSeconds();
    if (violation !== undefined) return { seconds, hours, found: { violation, scenario } };
    if (seconds >= minutes * 60) return { seconds, hours };
  }
}

/** What comes after the violation did not cause it. */
function untilFound(found: Found): Scenario {
  const { scenario, violation } = found;
  const { stormMs, quietMs } = scenario;
  const { atMs } = violation;
  if (atMs >= stormMs + quietMs) return scenario;
  return {
    ...withoutLaterEvents(found),
    stormMs: Math.min(stormMs, atMs + 1),
    quietMs: Math.max(0, atMs + 1 - stormMs),
  };
}

async function violationOf(scenario: Scenario): Promise<Violation | undefined> {
  return (await runScenario(scenario, parts, options)).violation;
}

async function resultOf([mode = "", ...args]: readonly string[], file: string): Promise<unknown> {
  if (mode === "search") return search(Number(args[0]), Number(args[1]));
  if (mode === "play")
    return { violation: await violationOf(JSON.parse(await readFile(file, "utf8")) as Scenario) };
  const found = JSON.parse(await readFile(file, "utf8")) as Found;
  const scenario = untilFound(found);
  if (mode === "replay") return { violation: await violationOf(scenario) };
  return shrinkScenario(
    { ...found, scenario },
    { run: violationOf, isOver: () => cpuSeconds() > maxShrinkSeconds },
  );
}

const args = process.argv.slice(2);
const file = args.at(-1) ?? "";
await writeFile(file, JSON.stringify(await resultOf(args.slice(0, -1), file)));
stopReporting();
await watchdog.stop();
