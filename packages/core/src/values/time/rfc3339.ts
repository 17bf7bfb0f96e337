// Parses and formats RFC 3339 instants.
import { dayMs } from "../units.ts";

/** An instant on the wire: RFC 3339 text, or a Date-like object as Kubernetes clients produce them. */
export type Timestamp = string | { toISOString(): string };

/** Go's zero time, year 1, in milliseconds. */
export const zeroTimeMs = -62_135_596_800_000;

/**
 * Milliseconds since 1970 (with a fraction where the text has more digits), or undefined for anything that is
 * no RFC 3339 instant and no Date-like object.
 */
export function instantMs(value: unknown): number | undefined {
  if (typeof value === "string") return parseRfc3339(value);
  if (typeof value !== "object" || value === null) return undefined;
  const dateLike = value as { getTime?: unknown; toISOString?: unknown };
  if (typeof dateLike.getTime === "function") {
    const ms: unknown = dateLike.getTime();
    return typeof ms === "number" && Number.isFinite(ms) ? ms : undefined;
  }
  if (typeof dateLike.toISOString !== "function") return undefined;
  try {
    const text: unknown = dateLike.toISOString();
    return typeof text === "string" ? parseRfc3339(text) : undefined;
  } catch {
    // An invalid Date throws here; it is as good as absent.
    return undefined;
  }
}

/** As upstream treats a field that is not a pointer: absent is the zero time. */
export function instantOrZeroMs(value: Timestamp | undefined): number {
  return instantMs(value) ?? zeroTimeMs;
}

// The last result, since one evaluation prints the same instant several times; the text of an instant never changes.
let lastMs = NaN;
let lastText = "";

/** RFC 3339 text in UTC with whole seconds, as metav1.Time prints. */
export function formatInstant(ms: number): string {
  if (ms !== lastMs) {
    lastText = printInstant(ms);
    lastMs = ms;
  }
  return lastText;
}

function printInstant(ms: number): string {
  const days = Math.floor(ms / dayMs);
  const seconds = Math.floor((ms - days * dayMs) / 1000);
  const { year, month, day } = civilOfDays(days);
  const time = `${pad2(Math.floor(seconds / 3600))}:${pad2(Math.floor(seconds / 60) % 60)}:${pad2(seconds % 60)}`;
  return `${String(year).padStart(4, "0")}-${pad2(month)}-${pad2(day)}T${time}Z`;
}

function pad2(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function parseRfc3339(text: string): number | undefined {
  if (text.length < 20) return undefined;
  const date = parseDate(text);
  if (date === undefined) return undefined;
  const hour = digits2(text, 11);
  const minute = digits2(text, 14);
  const second = digits2(text, 17);
  if (!(hour < 24 && minute < 60 && second < 60)) return undefined;
  if (text.charCodeAt(10) !== 84 || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58)
    return undefined;
  const ms = date * dayMs + hour * 3_600_000 + minute * 60_000 + second * 1000;
  // The usual case ends here: whole seconds, UTC.
  if (text.length === 20 && text.charCodeAt(19) === 90) return ms;
  const tail = /^(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text.slice(19));
  if (tail === null) return undefined;
  const fraction = tail[1] === undefined ? 0 : Number(`0.${tail[1]}`) * 1000;
  const offset = tail[2] === undefined ? 0 : Number(tail[3]) * 3_600_000 + Number(tail[4]) * 60_000;
  return ms + fraction - (tail[2] === "-" ? -offset : offset);
}

/** Days since 1970 of text that begins with a date such as "2026-12-25", or undefined. */
export function parseDate(text: string): number | undefined {
  const year = digits2(text, 0) * 100 + digits2(text, 2);
  const month = digits2(text, 5);
  const day = digits2(text, 8);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)))
    return undefined;
  const isSeparated = text.charCodeAt(4) === 45 && text.charCodeAt(7) === 45;
  return isSeparated ? daysOfCivil(year, month, day) : undefined;
}

/** NaN unless both characters are digits, so that every range check on the result fails. */
function digits2(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970 in the proleptic Gregorian calendar; years begin in March so that leap days come last. */
function daysOfCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Days since 1970 as a date of the proleptic Gregorian calendar. */
export function civilOfDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
