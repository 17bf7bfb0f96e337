// What schedules impose, minute by minute, by a plain reading of their fields that shares nothing with the code under test.
import type { ScheduleSpec } from "../src/decide/schedules/index.ts";
import type { ActiveSchedule, ScheduleState } from "../src/index.ts";
import { zone } from "./zones.ts";

/** Minutes of UTC from an instant on, and when the clocks of a zone first reach each local minute. */
export interface Clock {
  readonly fromMs: number;
  readonly minutes: number;
  readonly firstLocal: number;
  /** By local minute from the first on; one that the clocks skip comes with the first after the gap. */
  readonly comesAt: readonly number[];
  /** By minute of UTC: the last local minute that has come. */
  readonly reached: readonly number[];
}

interface Window {
  /** Minutes of the clock; minus infinity: unknown. */
  readonly from: number;
  readonly to: number;
}

/** An entry's windows, known from a minute on. */
export interface Timeline {
  readonly spec: ScheduleSpec;
  readonly windows: readonly Window[];
  readonly knownFrom: number;
}

export interface Change {
  readonly atMs: number;
  readonly begins: readonly string[];
  readonly ends: readonly string[];
  readonly steps: readonly string[];
}

const minuteMs = 60_000;
export const minReplicas = 2;

export function clockOf(timeZone: string, fromMs: number, minutes: number): Clock {
  const offset = zone(timeZone) ?? (() => 0);
  const firstLocal = fromMs / minuteMs + offset(fromMs) / minuteMs;
  const comesAt: number[] = [];
  const reached: number[] = [];
  let [shift, tomorrows] = [0, offset(fromMs)];
  for (let n = 0; n < minutes; n++) {
    const ms = fromMs + n * minuteMs;
    if (n % 1440 === 0) [shift, tomorrows] = [tomorrows, offset(ms + 1440 * minuteMs)];
    // Clocks are only set at whole quarters of an hour.
    if (shift !== tomorrows && n % 15 === 0) shift = offset(ms);
    const local = (ms + shift) / minuteMs;
    while (firstLocal + comesAt.length <= local) comesAt.push(n);
    reached.push(firstLocal + comesAt.length - 1);
  }
  return { fromMs, minutes, firstLocal, comesAt, reached };
}

export function timelineOf(spec: ScheduleSpec, clock: Clock): Timeline {
  const open = openMinutes(spec, clock);
  const isExcluded = excludedBy(spec, clock);
  const active = open.map((isOpen, n) => isOpen === true && !isExcluded(n));
  const firstKnown = open.lastIndexOf(undefined) + 1;
  const windows: Window[] = [];
  for (let from = active.indexOf(true); from >= 0; ) {
    const end = active.indexOf(false, from);
    const to = end < 0 ? Infinity : end;
    windows.push({ from: from > firstKnown ? from : -Infinity, to });
    from = active.indexOf(true, to);
  }
  // The floor of a window may rise for a while after a start that is not known.
  const risesFor = windows[0]?.from === -Infinity ? minutesOf(spec.ramp?.over ?? "") : 0;
  return { spec, windows, knownFrom: firstKnown + risesFor };
}

/** By minute, whether what began has not ended, exclusions aside; undefined where it may have begun before the clock. */
function openMinutes(spec: ScheduleSpec, clock: Clock): readonly (boolean | undefined)[] {
  const [starts, ends] = [dueBy(spec.start), spec.end === undefined ? () => false : dueBy(spec.end)];
  const duration = spec.duration === undefined ? undefined : minutesOf(spec.duration);
  let isOpen: boolean | undefined;
  let [local, openUntil] = [0, 0];
  return clock.reached.map((_, n) => {
    for (; clock.comesAt[local] === n; local++) {
      if (ends(clock.firstLocal + local)) isOpen = false;
      if (!starts(clock.firstLocal + local)) continue;
      isOpen = true;
      openUntil = n + (duration ?? 0);
    }
    if (duration !== undefined && n >= openUntil) isOpen = n >= duration ? false : undefined;
    return isOpen;
  });
}

/** What is known of a state on the given timelines; `sinceMs`, `untilMs` and `nextMs` are absent beyond the clock. */
export function expectedState(
  timelines: readonly Timeline[],
  clock: Clock,
  atMs: number,
): Omit<ScheduleState, "atMs"> {
  const active: ActiveSchedule[] = [];
  const ceilings = { hard: Infinity, soft: Infinity };
  let [floor, next] = [-Infinity, Infinity];
  for (const timeline of timelines) {
    const { entry, nextMs } = expectedEntry(timeline, clock, atMs);
    next = Math.min(next, nextMs);
    if (entry === undefined) continue;
    active.push(entry);
    floor = Math.max(floor, entry.floor ?? floor);
    const kind = timeline.spec.precedence === "Ceiling" ? "hard" : "soft";
    ceilings[kind] = Math.min(ceilings[kind], entry.ceiling ?? Infinity);
  }
  return { ...limits(floor, ceilings.hard, ceilings.soft), active, nextMs: present({ next }).next };
}

/** What is active of an entry, if it is, and when that changes. */
function expectedEntry(
  { spec, windows }: Timeline,
  { fromMs }: Clock,
  atMs: number,
): { readonly entry?: ActiveSchedule; readonly nextMs: number } {
  const window = windows.find(({ to }) => fromMs + to * minuteMs > atMs);
  if (window === undefined) return { nextMs: Infinity };
  const [sinceMs, untilMs] = [fromMs + window.from * minuteMs, fromMs + window.to * minuteMs];
  if (sinceMs > atMs) return { nextMs: sinceMs };
  const ramp = rampOf(spec, sinceMs);
  const next = ramp.find((step) => step.atMs > atMs);
  const [goal, reached] = [ramp.at(-1), ramp.findLast((step) => step.atMs <= atMs)];
  const ceiling = spec.replicas ?? spec.maxReplicas;
  const isRising = next !== undefined && goal !== undefined;
  const entry = {
    name: spec.name,
    ...present({ sinceMs, untilMs }),
    ...(reached === undefined ? {} : { floor: reached.floor }),
    ...(ceiling === undefined ? {} : { ceiling }),
    ...(isRising ? { ramp: { floor: goal.floor, doneMs: goal.atMs } } : {}),
  };
  return { entry, nextMs: Math.min(untilMs, next?.atMs ?? Infinity) };
}

/** A floor wins against a ceiling, unless the ceiling's entry has precedence. */
function limits(floor: number, hard: number, soft: number) {
  const lowest = Math.min(hard, soft);
  const known = present({ floor, ceiling: lowest });
  if (floor <= lowest) return { floor: known.floor, ceiling: known.ceiling };
  const [winner, both] = hard < floor ? (["ceiling", hard] as const) : (["floor", floor] as const);
  return { floor: both, ceiling: both, conflict: { winner, floor, ceiling: lowest } };
}

/** The changes after one instant and before another. */
export function expectedChanges(
  timelines: readonly Timeline[],
  clock: Clock,
  [afterMs, beforeMs]: readonly [number, number],
): readonly Change[] {
  const changes = new Map<number, { begins: string[]; ends: string[]; steps: string[] }>();
  const note = (atMs: number, kind: "begins" | "ends" | "steps", name: string) => {
    if (!(atMs > afterMs && atMs < beforeMs)) return;
    const change = changes.get(atMs) ?? { begins: [], ends: [], steps: [] };
    change[kind].push(name);
    changes.set(atMs, change);
  };
  for (const { spec, windows } of timelines) {
    for (const { from, to } of windows) {
      const [sinceMs, untilMs] = [clock.fromMs + from * minuteMs, clock.fromMs + to * minuteMs];
      note(sinceMs, "begins", spec.name);
      note(untilMs, "ends", spec.name);
      for (const { atMs } of rampOf(spec, sinceMs).slice(1))
        if (atMs < untilMs) note(atMs, "steps", spec.name);
    }
  }
  return [...changes].sort(([a], [b]) => a - b).map(([atMs, change]) => ({ atMs, ...change }));
}

/** The floors of an entry that began at an instant: evenly spaced in time and in height, and rounded up. */
function rampOf(
  { ramp, replicas, minReplicas: floor = replicas }: ScheduleSpec,
  sinceMs: number,
): readonly { readonly atMs: number; readonly floor: number }[] {
  if (floor === undefined) return [];
  if (ramp === undefined || floor <= minReplicas) return [{ atMs: sinceMs, floor }];
  const { steps = 5 } = ramp;
  const overMs = minutesOf(ramp.over) * minuteMs;
  const heights = Array.from({ length: steps }, (_, n) => ({
    atMs: sinceMs + Math.ceil((n * overMs) / (steps - 1)),
    floor: minReplicas + Math.ceil(((n + 1) * (floor - minReplicas)) / steps),
  }));
  return heights.filter((one, n) => one.floor !== heights[n - 1]?.floor);
}

/** Without what is infinite. */
function present<T extends Readonly<Record<string, number>>>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => Number.isFinite(value)),
  ) as Partial<T>;
}

export function minutesOf(duration: string): number {
  const [, hours = "0", minutes = "0"] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(duration) ?? [];
  return Number(hours) * 60 + Number(minutes);
}

/** Whether five fields name a local minute. */
function dueBy(text: string): (local: number) => boolean {
  const [minute = "", hour = "", dom = "", month = "", dow = ""] = text.split(" ");
  const minutes = Array.from({ length: 60 }, (_, n) => has(minute, n));
  const hours = Array.from({ length: 24 }, (_, n) => has(hour, n));
  const days = new Map<number, boolean>();
  const isDay = (day: number) => {
    const date = new Date(day * 86_400_000);
    const weekday = has(dow, date.getUTCDay()) || (date.getUTCDay() === 0 && has(dow, 7));
    const isDate = has(dom, date.getUTCDate());
    const isEither = dom === "*" || dow === "*" ? isDate && weekday : isDate || weekday;
    return isEither && has(month, date.getUTCMonth() + 1);
  };
  return (local) => {
    if (minutes[local % 60] !== true || hours[Math.floor(local / 60) % 24] !== true) return false;
    const day = Math.floor(local / 1440);
    const isDue = days.get(day) ?? isDay(day);
    days.set(day, isDue);
    return isDue;
  };
}

function has(field: string, value: number): boolean {
  return field.split(",").some((item) => {
    if (item === "*") return true;
    if (item.startsWith("*/")) return value % Number(item.slice(2)) === 0;
    const [low, high = low] = item.replace("MON-FRI", "1-5").replace("SUN", "0").split("-");
    return value >= Number(low) && value <= Number(high);
  });
}

/** Whether an entry imposes nothing in a minute, whatever it has begun. */
function excludedBy(spec: ScheduleSpec, clock: Clock): (minute: number) => boolean {
  const days = new Map<number, boolean>();
  // Calendars here are the two instants of their one event.
  const events = (spec.exclusions ?? []).flatMap(({ calendar }) => [calendar?.split(" ").map(Number) ?? []]);
  return (minute) => {
    const day = Math.floor((clock.reached[minute] ?? 0) / 1440);
    const isOff = days.get(day) ?? isDayOff(spec, new Date(day * 86_400_000));
    days.set(day, isOff);
    const ms = clock.fromMs + minute * minuteMs;
    return isOff || events.some(([from = Infinity, to = 0]) => from <= ms && ms < to);
  };
}

function isDayOff({ exclusions = [] }: ScheduleSpec, day: Date): boolean {
  const date = day.toISOString().slice(0, 10);
  const weekday = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][day.getUTCDay()];
  return exclusions.some(
    (one) =>
      one.date === date ||
      (one.from !== undefined && one.to !== undefined && one.from <= date && date <= one.to) ||
      one.weekdays?.some((name) => name.toLowerCase() === weekday),
  );
}
