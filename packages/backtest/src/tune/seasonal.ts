// What the load of a time of the week was, over weeks: the highest minutes of half-hour slots, as multiples of a level.
import type { ZoneOffset } from "@plimsoll/core/schedules";
import type { InferredLoad } from "../infer/load.ts";
import { quantileOf } from "./bootstrap.ts";
import { minutesOf, type WholeDay } from "./days.ts";

/** Half hours of a day. */
export const slotsOfDay = 48;
const slotMs = 1_800_000;
const dayMs = 86_400_000;
const weekDays = 7;

/** Days that share their floors. */
export type Grouping = "weekday" | "weekday-weekend";

/** A day with its highest minute in each slot of local time; a slot that clocks skip has none. */
export interface SeasonalDay extends WholeDay {
  readonly slots: readonly (number | undefined)[];
}

/** Weekdays that share their floors, 0 is Sunday; with what their slots were, as multiples of the level of the time. */
export interface SeasonalClass {
  readonly name: string;
  readonly weekdays: readonly number[];
  readonly ratios: readonly number[];
}

export const groupings: Readonly<Record<Grouping, readonly Omit<SeasonalClass, "ratios">[]>> = {
  weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"].map((name, at) => ({ name, weekdays: [at] })),
  "weekday-weekend": [
    { name: "mon-fri", weekdays: [1, 2, 3, 4, 5] },
    { name: "sat-sun", weekdays: [6, 0] },
  ],
};

/** The slots of days. */
export function seasonalDays(
  days: readonly WholeDay[],
  { series }: Pick<InferredLoad, "series">,
  offset: ZoneOffset,
): readonly SeasonalDay[] {
  return days.map((day) => {
    const slots: (number | undefined)[] = Array.from({ length: slotsOfDay }, () => undefined);
    const minutes = minutesOf(series, day);
    const stepMs = (day.toMs - day.fromMs) / Math.max(1, minutes.length);
    for (const [at, load] of minutes.entries()) {
      const atMs = day.fromMs + at * stepMs;
      const slot = Math.floor(((((atMs + offset(atMs)) % dayMs) + dayMs) % dayMs) / slotMs);
      slots[slot] = Math.max(slots[slot] ?? 0, load);
    }
    return { ...day, slots };
  });
}

/** The q-quantile of each slot of each class. */
export function profileOf(
  days: readonly SeasonalDay[],
  grouping: Grouping,
  quantile: number,
): readonly SeasonalClass[] {
  const levels = days.map((_, at) => weekLevel(days, at));
  const ratiosAt = (slot: number, isOf: (weekday: number) => boolean): readonly number[] =>
    days.flatMap(({ weekday, slots }, at) => {
      const [load, level = 0] = [slots[slot], levels[at]];
      return load === undefined || level === 0 || !isOf(weekday) ? [] : [load / level];
    });
  return groupings[grouping].map(({ name, weekdays }) => ({
    name,
    weekdays,
    ratios: Array.from({ length: slotsOfDay }, (_, slot) => {
      const own = ratiosAt(slot, (weekday) => weekdays.includes(weekday));
      const found = own.length > 0 ? own : ratiosAt(slot, () => true);
      return quantileOf(
        found.toSorted((a, b) => a - b),
        quantile,
      );
    }),
  }));
}

/** Mean of the last two weeks. */
export function currentLevel(days: readonly Pick<WholeDay, "mean">[]): number {
  return meanOf(days.slice(-2 * weekDays).map(({ mean }) => mean));
}

/** Of a whole week around a day, in which each weekday is once. */
function weekLevel(days: readonly SeasonalDay[], at: number): number {
  const first = Math.max(0, Math.min(at - Math.floor(weekDays / 2), days.length - weekDays));
  return meanOf(days.slice(first, first + weekDays).map(({ mean }) => mean));
}

/** The grouping with the smaller loss on weeks that are left out in turn, and both losses in the unit of the load. */
export function chosenGrouping(
  days: readonly SeasonalDay[],
  quantile: number,
): { readonly grouping: Grouping; readonly loss: number } {
  const [coarse, fine] = [
    leftOutLoss(days, "weekday-weekend", quantile),
    leftOutLoss(days, "weekday", quantile),
  ];
  return fine < coarse ? { grouping: "weekday", loss: fine } : { grouping: "weekday-weekend", loss: coarse };
}

function leftOutLoss(days: readonly SeasonalDay[], grouping: Grouping, quantile: number): number {
  return meanOf(
    weeksOf(days).flatMap((week) => {
      const rest = days.filter((day) => !week.includes(day));
      if (rest.length === 0) return [];
      const profile = profileOf(rest, grouping, quantile);
      const level = currentLevel(beforeOr(rest, week));
      return week.flatMap((day) => {
        const ratios = profile.find(({ weekdays }) => weekdays.includes(day.weekday))?.ratios ?? [];
        return day.slots.flatMap((load, slot) =>
          load === undefined ? [] : [pinball(quantile, (ratios[slot] ?? 0) * level, load)],
        );
      });
    }),
  );
}

/** Of taking each slot as it was seven days before, in the unit of the load; undefined where no day has one. */
export function weekBeforeLoss(days: readonly SeasonalDay[], quantile: number): number | undefined {
  const losses = days.flatMap((day) => {
    const before = days.find(({ fromMs }) => Math.round((day.fromMs - fromMs) / dayMs) === weekDays);
    return day.slots.flatMap((load, slot) => {
      const floor = before?.slots[slot];
      return load === undefined || floor === undefined ? [] : [pinball(quantile, floor, load)];
    });
  });
  return losses.length === 0 ? undefined : meanOf(losses);
}

/** What too low and too high a floor cost: q and 1 − q for each unit. */
export function pinball(quantile: number, floor: number, load: number): number {
  return load >= floor ? quantile * (load - floor) : (1 - quantile) * (floor - load);
}

/** Whole weeks, counted from the end. */
function weeksOf(days: readonly SeasonalDay[]): readonly (readonly SeasonalDay[])[] {
  const weeks: (readonly SeasonalDay[])[] = [];
  for (let end = days.length; end - weekDays >= 0; end -= weekDays)
    weeks.push(days.slice(end - weekDays, end));
  return weeks;
}

/** The days before a week; all others where there are none. */
function beforeOr(rest: readonly SeasonalDay[], [first]: readonly SeasonalDay[]): readonly SeasonalDay[] {
  const before = rest.filter(({ fromMs }) => fromMs < (first?.fromMs ?? 0));
  return before.length > 0 ? before : rest;
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sums of many pieces are not exact: a floor is not one higher for that. */
const exact = 1 - 1e-9;

/** How many pods a load needs where each has so much of it. */
export function podsFor(load: number, perPodTarget: number): number {
  return Math.ceil(podsOf(load, perPodTarget) * exact);
}

/** A load in pods, also in parts of one. */
export function podsOf(load: number, perPodTarget: number): number {
  return load / perPodTarget;
}
