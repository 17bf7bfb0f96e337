// Floors of a week as entries of spec.schedules.
import { instantOfLocal, type ScheduleSpec, type ZoneOffset } from "@plimsoll/core/schedules";
import { podsFor, type SeasonalClass, slotsOfDay } from "./seasonal.ts";
import { type FloorStretch, mergeSlots } from "./seasonal-merge.ts";

/** What floors are made from beside the load of the week. */
export interface FloorsOf {
  readonly timeZone: string;
  /** Of the last two weeks, in the unit of the load. */
  readonly level: number;
  /** What a pod may have of the load. */
  readonly perPodTarget: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** From the begin of an entry until its pods count in a decision. */
  readonly leadMs: number;
}

const maxEntries = 4;
const minuteMs = 60_000;
const slotMinutes = 30;
const dayMinutes = 1440;
const slotMs = slotMinutes * minuteMs;
/** A larger step is reached in several. */
const plainStep = 5;
const rampMinutes = 5;
const maxRampSteps = 10;

/** At most four entries for each class; none where the load never needs more than minReplicas. */
export function floorSchedules(classes: readonly SeasonalClass[], of: FloorsOf): readonly ScheduleSpec[] {
  return classes.flatMap(({ name, weekdays }, at) => {
    const needs = slotNeeds(classes, at, of);
    const stretches = mergeSlots(needs, of.minReplicas, maxEntries);
    return stretches.map((stretch, n) => {
      const before = stretches[n - 1];
      const from = before?.to === stretch.from ? before.floor : of.minReplicas;
      return entryOf(stretch, from, { name, weekdays, of });
    });
  });
}

/** Pods of each slot; the last also has what the first of the next day needs, since no entry begins the day before. */
export function slotNeeds(
  classes: readonly SeasonalClass[],
  at: number,
  { level, perPodTarget, maxReplicas }: FloorsOf,
): readonly number[] {
  const podsOf = (ratio: number): number => Math.min(maxReplicas, podsFor(ratio * level, perPodTarget));
  const { ratios = [], weekdays = [] } = classes[at] ?? {};
  const next = classes.filter((one) => weekdays.some((day) => one.weekdays.includes((day + 1) % 7)));
  const morning = Math.max(0, ...next.map((one) => podsOf(one.ratios[0] ?? 0)));
  return ratios.map((ratio, slot) =>
    slot === slotsOfDay - 1 ? Math.max(morning, podsOf(ratio)) : podsOf(ratio),
  );
}

function entryOf(
  { from, to, floor }: FloorStretch,
  floorBefore: number,
  entry: { readonly name: string; readonly weekdays: readonly number[]; readonly of: FloorsOf },
): ScheduleSpec {
  const { name, weekdays, of } = entry;
  const step = floor - floorBefore;
  const ramp =
    // Nothing begins the day before: its last slot has what the first one needs.
    step <= plainStep || from === 0
      ? undefined
      : { over: `${rampMinutes}m`, steps: Math.min(maxRampSteps, Math.ceil(step / plainStep)) };
  const lead = Math.ceil(of.leadMs / minuteMs) + (ramp === undefined ? 0 : rampMinutes);
  const begin = Math.max(0, from * slotMinutes - lead);
  return {
    name: `floor-${name}-${clockText(from * slotMinutes)}`,
    timeZone: of.timeZone,
    start: cronText(begin, weekdays),
    end: cronText(to * slotMinutes, weekdays),
    minReplicas: floor,
    ...(ramp === undefined ? {} : { ramp }),
  };
}

function clockText(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}${twoDigits(minutes % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The end of a day is the begin of the next. */
function cronText(minutes: number, weekdays: readonly number[]): string {
  const days = minutes < dayMinutes ? weekdays : weekdays.map((day) => (day + 1) % 7);
  const time = minutes % dayMinutes;
  return `${time % 60} ${Math.floor(time / 60)} * * ${days.toSorted((a, b) => a - b).join(",")}`;
}

/** The floor of each half hour of seven days, before slots are merged. */
export function floorsOfWeek(
  classes: readonly SeasonalClass[],
  { level, perPodTarget, minReplicas, maxReplicas }: FloorsOf,
  { fromLocal, offset }: { readonly fromLocal: number; readonly offset: ZoneOffset },
): readonly { readonly fromMs: number; readonly replicas: number }[] {
  const slots = Array.from({ length: 7 * slotsOfDay }, (_, at) => fromLocal + at * slotMs);
  return slots.map((local, at) => {
    const weekday = new Date(local).getUTCDay();
    const ratio = classes.find(({ weekdays }) => weekdays.includes(weekday))?.ratios[at % slotsOfDay] ?? 0;
    const pods = Math.max(minReplicas, podsFor(ratio * level, perPodTarget));
    return { fromMs: instantOfLocal(local, offset), replicas: Math.min(maxReplicas, pods) };
  });
}
