// Explains the decision of a simulation at an instant: the first run is made again up to it.
import { explain, formatInstant, instantMs } from "@plimsoll/core";
import { parseGoDuration } from "@plimsoll/core/duration";
import { type ScenarioFile, type SyncView, scenarioOf, simulate } from "@plimsoll/simulator";
import type { Style } from "../../output/style.ts";
import { CliError } from "../../seams.ts";

/** Which decision. */
export interface Moment {
  readonly at: string;
  /** From 1. */
  readonly column: number;
}

/** The last decision at or before an instant, in plain words. @throws CliError where there is none. */
export function explainAt(file: ScenarioFile, { at, column: number }: Moment, style: Style): string {
  const column = file.columns[number - 1];
  if (column === undefined)
    throw new CliError(`--column ${number}: the scenario's last column is ${file.columns.length}`);
  const { startMs, durationMs } = file.scenario;
  const atMs = instantOf(at, startMs);
  if (atMs < startMs || atMs > startMs + durationMs) {
    const [from, to] = [formatInstant(startMs), formatInstant(startMs + durationMs)];
    throw new CliError(`--at ${at} is outside the simulation, ${from} to ${to}`);
  }
  const scenario = { ...scenarioOf(file, column, 0), durationMs: atMs - startMs + 1 };
  const last = new Map<number, SyncView>();
  simulate(scenario, { seriesPoints: 0, onSync: (sync) => last.set(sync.workload, { ...sync }) });
  if (last.size === 0) throw new CliError(`--at ${at}: no decision before this time`);
  const parts = [...last].map(([workload, sync]) => {
    const name = file.scenario.workloads[workload]?.name ?? "";
    const second = (sync.atMs - startMs) / 1000;
    const head = `${column.name}, ${name}, ${formatInstant(sync.atMs)} (${second.toFixed(2)} s after the start)`;
    return `${style.text(head)}\n${explain(sync.result.decision).split("\n").map(style.text).join("\n")}`;
  });
  return `${parts.join("\n\n")}\n`;
}

/** RFC 3339, a time of the first day, or a duration since the start. */
function instantOf(text: string, startMs: number): number {
  const time = /^(\d{2}:\d{2})(:\d{2})?$/.exec(text);
  const day = formatInstant(startMs).slice(0, 11);
  const instant = instantMs(time === null ? text : `${day}${time[1]}${time[2] ?? ":00"}Z`);
  if (instant !== undefined) return time !== null && instant < startMs ? instant + 86_400_000 : instant;
  const sinceMs = parseGoDuration(text);
  if (sinceMs !== undefined) return startMs + sinceMs;
  throw new CliError(
    `--at ${text} is not a time: use a value such as 2026-11-27T19:01:30Z, 19:01:30, or 19h after the start`,
  );
}
