// Reads the schedules of an object, with the calendars that they name.
import { createHash } from "node:crypto";
import type { KeyedEntries } from "@plimsoll/component-base";
import type { ReplicaBounds } from "@plimsoll/core";
import { readSchedules, type ScheduleSpec, type SchedulesRead } from "@plimsoll/core/schedules";
import { refused, unknownCalendar } from "./calendars/calendar.ts";
import { maxKept } from "./calendars/calendar-budget.ts";
import { refusedForMs } from "./calendars/calendar-store.ts";
import type { SharedSchedules } from "./shared.ts";
import { createZones } from "./zones.ts";

export interface ObjectSchedules extends SchedulesRead {
  /** A calendar has not been read yet: what the entries impose is unknown. */
  readonly isPending: boolean;
}

/** Reads the schedules of objects; what would be read the same is not read again. */
export interface ScheduleReader {
  read(key: string, specs: readonly ScheduleSpec[], deps: Circumstances): ObjectSchedules;
  drop(key: string): void;
  /** By object. */
  readonly entries: KeyedEntries;
}

interface Circumstances {
  readonly bounds: ReplicaBounds;
  readonly nowMs: number;
}

interface Known {
  readonly specs: readonly ScheduleSpec[];
  /** Of the specs and bounds. */
  readonly hash: string;
  readonly bounds: string;
  /** Versions and years of the calendars. */
  readonly context: string;
  /** When what was refused may be read again. */
  readonly untilMs: number;
  readonly read: ObjectSchedules;
}

interface ReaderDeps extends Pick<SharedSchedules, "calendars" | "store" | "budget"> {
  /** All calendars that the object waited for have been read, or it must do with fewer than it had. */
  readonly onRead: (key: string) => void;
}

interface State extends ReaderDeps {
  readonly entries: Map<string, Known>;
  readonly zone: ReturnType<typeof createZones>;
}

export function createScheduleReader(deps: ReaderDeps): ScheduleReader {
  const { calendars, store, budget } = deps;
  const entries = new Map<string, Known>();
  const state: State = { ...deps, entries, zone: createZones() };
  return {
    read(key, specs, circumstances) {
      const { nowMs } = circumstances;
      const known = entries.get(key);
      const bounds = JSON.stringify(circumstances.bounds);
      const context = JSON.stringify([calendarSpan(nowMs).fromMs, versionsOf(specs, calendars)]);
      const isCurrent = known?.context === context && nowMs < known.untilMs;
      if (isCurrent && known.specs === specs && known.bounds === bounds) return known.read;
      const hash = hashOf([specs, bounds]);
      const isSame = known?.hash === hash;
      if (isSame && isCurrent) {
        entries.set(key, { ...known, specs, context });
        return known.read;
      }
      const { read, isWhole, isRefused } = readNow(state, key, specs, circumstances);
      // Until the calendars of other years, or of other files, have been read, those that are known hold.
      if (!isWhole) return isSame ? known.read : read;
      const untilMs = isRefused ? nowMs + refusedForMs : Infinity;
      entries.set(key, { specs, hash, bounds, context, untilMs, read });
      return read;
    },
    drop(key) {
      entries.delete(key);
      budget.release(key);
      store.drop(key);
    },
    entries,
  };
}

function readNow(
  { calendars, entries, onRead, budget, store, zone }: State,
  key: string,
  specs: readonly ScheduleSpec[],
  { bounds, nowMs }: Circumstances,
) {
  let [isPending, isLate, isRefused] = [false, false, false];
  const requests = store.request(key, () => onRead(key));
  const span = calendarSpan(nowMs);
  budget.release(key);
  const revoke = (): void => {
    entries.delete(key);
    onRead(key);
  };
  const schedules = readSchedules(specs, {
    zone,
    bounds,
    calendar({ calendar, calendarName = "" }, timeZone) {
      const text = calendar ?? calendars.named(calendarName);
      if (text === undefined) return unknownCalendar;
      const reading = requests.read({ ...span, text, timeZone });
      isPending ||= reading === undefined;
      isLate ||= reading?.isLate === true;
      const result = reading?.result ?? { days: [], spans: [] };
      const count = typeof result === "string" ? 0 : result.days.length + result.spans.length;
      const given = count === 0 || budget.take(key, count, revoke) ? result : overBudget;
      isRefused ||= typeof given !== "string" && given.refused !== undefined;
      return given;
    },
  });
  requests.end();
  return { read: { ...schedules, isPending }, isWhole: !isPending && !isLate, isRefused };
}

function versionsOf(
  specs: readonly ScheduleSpec[],
  calendars: SharedSchedules["calendars"],
): readonly string[] {
  const named = specs.flatMap((spec) => (Array.isArray(spec?.exclusions) ? spec.exclusions : []));
  const names = new Set(named.map((exclusion) => exclusion?.calendarName));
  return [...names].flatMap((name) => (typeof name === "string" ? calendars.version(name) || [] : []));
}

const overBudget = refused(
  `exceeds the limit of its namespace: all objects together can have ${maxKept} days and spans`,
);

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}

/** The years of a calendar that matter now: from the last one to the end of the one after the next. */
function calendarSpan(nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const year = new Date(nowMs).getUTCFullYear();
  return { fromMs: Date.UTC(year - 1, 0), toMs: Date.UTC(year + 3, 0) };
}
