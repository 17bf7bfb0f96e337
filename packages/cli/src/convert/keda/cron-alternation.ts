// Whether a cron trigger of KEDA is active at the times of a schedule.
import { nextFiring, parseCron } from "@plimsoll/core/schedules";

/** Two years of local times, as if they were UTC: what follows on what does not depend on the year. */
const fromMs = 1_704_067_200_000;
const untilMs = fromMs + 2 * 366 * 86_400_000;
const maxFirings = 20_000;

/**
 * KEDA's trigger is active while the end comes before the start, or at the same time; a schedule is from each start to the
 * next end. That is the same where starts and ends take turns.
 * @returns undefined when there are too many to look at.
 */
export function takesTurns(start: string, end: string): boolean | undefined {
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
