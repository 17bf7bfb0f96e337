import { imposedText } from "../../decide/schedules/status-and-events.ts";
import type { ActiveSchedule } from "../../objects/schedules/state.ts";
import type { SchedulesTrace } from "../../objects/trace/step.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import { type Line, line } from "./line.ts";

/** Which schedules hold, and what they make of the bounds. */
export function explainSchedules(step: SchedulesTrace): readonly Line[] {
  const { own, active, minReplicas, maxReplicas, conflict, isWithoutMetrics } = step;
  const next = nextText(step);
  const bounds = `[${own.minReplicas}, ${own.maxReplicas}]`;
  const isSame = own.minReplicas === minReplicas && own.maxReplicas === maxReplicas;
  const become = isSame
    ? `the limits stay ${bounds}`
    : `the limits ${bounds} become [${minReplicas}, ${maxReplicas}]`;
  return [
    line(1, active.length === 0 ? `No schedule holds now${next}` : `Schedules: ${become}${next}`),
    ...active.map((entry) => line(2, entryText(entry))),
    ...(conflict === undefined ? [] : [line(2, conflictText(conflict))]),
    ...(isWithoutMetrics ? [line(1, `There are no metrics: the minimum is the count, ${minReplicas}`)] : []),
  ];
}

function nextText({ nextMs, isSearchEnd }: SchedulesTrace): string {
  if (nextMs === undefined) return "";
  const at = formatInstant(nextMs);
  return isSearchEnd === true ? `; nothing changes before ${at}` : `; the next change is at ${at}`;
}

function entryText(entry: ActiveSchedule): string {
  const { name, untilMs, ramp } = entry;
  const rising = ramp === undefined ? "" : `, rising to ${ramp.floor} by ${formatInstant(ramp.doneMs)}`;
  const end = untilMs === undefined ? "" : `, until ${formatInstant(untilMs)}`;
  return `${name}: ${imposedText(entry)}${rising}${end}`;
}

function conflictText({ winner, floor, ceiling }: NonNullable<SchedulesTrace["conflict"]>): string {
  return `A floor of ${floor} and a ceiling of ${ceiling} contradict each other: the ${winner} holds`;
}
