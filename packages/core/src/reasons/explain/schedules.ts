import { imposedText } from "../../decide/schedules/status-and-events.ts";
import type { ActiveSchedule } from "../../objects/schedules/state.ts";
import type { SchedulesTrace } from "../../objects/trace/step.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import { type Line, line } from "./line.ts";

/** Which schedules are active, and which limits follow. */
export function explainSchedules(step: SchedulesTrace): readonly Line[] {
  const { own, active, minReplicas, maxReplicas, conflict, isWithoutMetrics } = step;
  const next = nextText(step);
  const bounds = `[${own.minReplicas}, ${own.maxReplicas}]`;
  const isSame = own.minReplicas === minReplicas && own.maxReplicas === maxReplicas;
  const become = isSame
    ? `limits stay ${bounds}`
    : `limits change from ${bounds} to [${minReplicas}, ${maxReplicas}]`;
  return [
    line(1, active.length === 0 ? `No schedule active${next}` : `Schedules: ${become}${next}`),
    ...active.map((entry) => line(2, entryText(entry))),
    ...(conflict === undefined ? [] : [line(2, conflictText(conflict))]),
    ...(isWithoutMetrics ? [line(1, `No metrics: replicas are set to the minimum, ${minReplicas}`)] : []),
  ];
}

function nextText({ nextMs, isSearchEnd }: SchedulesTrace): string {
  if (nextMs === undefined) return "";
  const at = formatInstant(nextMs);
  return isSearchEnd === true ? `; no change before ${at}` : `; next change at ${at}`;
}

function entryText(entry: ActiveSchedule): string {
  const { name, untilMs, ramp } = entry;
  const rising = ramp === undefined ? "" : `, rising to ${ramp.floor} by ${formatInstant(ramp.doneMs)}`;
  const end = untilMs === undefined ? "" : `, until ${formatInstant(untilMs)}`;
  return `${name}: ${imposedText(entry)}${rising}${end}`;
}

function conflictText({ winner, floor, ceiling }: NonNullable<SchedulesTrace["conflict"]>): string {
  return `The floor ${floor} is above the ceiling ${ceiling}: the ${winner} wins`;
}
