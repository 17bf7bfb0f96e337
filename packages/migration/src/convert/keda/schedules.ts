// Schedules out of cron triggers.
import { yearMs } from "@plimsoll/core/internal/values";
import { nextFiring, parseCron, type ScheduleSpec } from "@plimsoll/core/schedules";
import type { Findings } from "../findings.ts";
import { type KedaBounds, rests } from "./bounds.ts";
import { type CronTrigger, triggerPath } from "./trigger.ts";

export interface ScheduleContext {
  readonly bounds: KedaBounds;
  /** While the one cron trigger is not active, the target rests, whatever its other metrics say. */
  readonly restsOutside: boolean;
}

/** A cron trigger is one more proposal of the HPA: a floor, up to the maximum. */
export function schedulesOf(
  triggers: readonly CronTrigger[],
  { bounds, restsOutside }: ScheduleContext,
  findings: Findings,
): readonly ScheduleSpec[] {
  const names = uniqueNames(triggers);
  return triggers.flatMap((trigger, position) => {
    noteTurns(trigger, findings);
    noteCap(trigger, bounds, findings);
    const { timeZone, start, end, replicas } = trigger;
    const name = names[position] ?? "cron";
    const floor = Math.min(Math.max(replicas, bounds.active), bounds.max);
    const entry = { name, timeZone, start, end, minReplicas: floor };
    if (!restsOutside || !rests(bounds)) return [entry];
    const rest = { name: `${name.slice(0, 58)}-off`, timeZone, start: end, end: start };
    return [entry, { ...rest, replicas: bounds.inactive }];
  });
}

/** At most 63 characters, with room for a number and for "-off". */
function uniqueNames(triggers: readonly CronTrigger[]): readonly string[] {
  const taken = new Set<string>();
  return triggers.map(({ name, index }) => {
    const stem = (name.trim() === "" ? `cron-${index}` : name.trim()).slice(0, 50);
    let found = stem;
    for (let next = 2; taken.has(found) || taken.has(`${found}-off`); next++) found = `${stem}-${next}`;
    taken.add(found);
    taken.add(`${found}-off`);
    return found;
  });
}

function noteTurns({ index, start, end }: CronTrigger, findings: Findings): void {
  const turns = takesTurns(start, end);
  if (turns === true) return;
  const path = `${triggerPath(index)}.metadata.start`;
  if (turns === undefined) {
    const message = "is due too often to determine whether KEDA is active during the schedule";
    findings.note({
      path,
      value: start,
      message,
      remedy: "compare the times with plimsoll schedule preview",
    });
    return;
  }
  findings.note({
    path,
    value: start,
    message: `and the end ${JSON.stringify(end)} don't alternate: KEDA is active whenever an end comes before the next start, but the schedule is active from each start to the next end`,
    remedy: "check the schedule with plimsoll schedule preview, and correct its times",
  });
}

function noteCap({ index, replicas }: CronTrigger, { max }: KedaBounds, findings: Findings): void {
  if (replicas <= max) return;
  findings.note({
    path: `${triggerPath(index)}.metadata.desiredReplicas`,
    value: replicas,
    message: `is above maxReplicaCount and is converted to ${max}, which KEDA doesn't exceed either`,
    remedy: "nothing to do",
  });
}

/** Two years of local times, as if they were UTC: what follows on what does not depend on the year. */
const fromMs = 1_704_067_200_000;
const untilMs = fromMs + 2 * yearMs;
const maxFirings = 20_000;

/**
 * KEDA's trigger is active while the end comes before the start, or at the same time; a schedule is from each start to the
 * next end. That is the same where starts and ends take turns.
 * @returns undefined when there are too many to look at.
 */
function takesTurns(start: string, end: string): boolean | undefined {
  // Most are once a day, on the same days: there is nothing to be looked for.
  if (isOnceADay(start) && isOnceADay(end) && daysOf(start) === daysOf(end))
    return timeOf(start) !== timeOf(end);
  const starts = firings(start);
  const ends = firings(end);
  if (starts === undefined || ends === undefined) return undefined;
  const all = [
    ...starts.map((atMs) => ({ atMs, isStart: true })),
    ...ends.map((atMs) => ({ atMs, isStart: false })),
  ];
  all.sort((one, other) => one.atMs - other.atMs);
  const isOneTwice = all.some(({ isStart, atMs }, index) => {
    const next = all[index + 1];
    return next !== undefined && (next.isStart === isStart || next.atMs === atMs);
  });
  return !isOneTwice;
}

function isOnceADay(schedule: string): boolean {
  return /^\d+ \d+ /.test(schedule);
}

function daysOf(schedule: string): string {
  return schedule.split(" ").slice(2).join(" ");
}

function timeOf(schedule: string): number {
  const [minute, hour] = schedule.split(" ").map(Number);
  return (hour ?? 0) * 60 + (minute ?? 0);
}

function firings(schedule: string): readonly number[] | undefined {
  const parsed = parseCron(schedule, "standard");
  if (parsed === undefined) return undefined;
  const found: number[] = [];
  let atMs = nextFiring(parsed, fromMs - 1, () => 0);
  while (atMs !== undefined && atMs < untilMs) {
    found.push(atMs);
    if (found.length > maxFirings) return undefined;
    atMs = nextFiring(parsed, atMs, () => 0);
  }
  return found;
}
