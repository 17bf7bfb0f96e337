// Which recurrence rules of events are followed.
import type ICAL from "ical.js";

const allowed: Readonly<Record<string, readonly string[]>> = {
  DAILY: [],
  WEEKLY: ["BYDAY"],
  MONTHLY: ["BYDAY", "BYMONTHDAY"],
  YEARLY: ["BYDAY", "BYMONTHDAY", "BYMONTH"],
};
const maxInterval = 100;
const maxMonths = new Map([
  [2, 29],
  [4, 30],
  [6, 30],
  [9, 30],
  [11, 30],
]);

/** The values of a rule by the names of its parts, such as BYDAY. */
type Parts = ReadonlyMap<string, readonly (string | number)[]>;

/**
 * Why an event's rule is not followed. Rules of holidays are; others are refused, since some of them never come to
 * an end when they are expanded.
 */
export function ruleProblem(component: ICAL.Component): string | undefined {
  const rules = component.getAllProperties("rrule");
  if (component.getAllProperties("exrule").length > 0) return "has an EXRULE; use EXDATE";
  if (rules.length > 1) return "has more than one RRULE";
  const [rule] = rules.map((property) => property.getFirstValue() as ICAL.Recur);
  if (rule === undefined) return undefined;
  const parts = partsOf(rule);
  return frequencyProblem(rule, parts) ?? daysProblem(rule, parts);
}

function partsOf({ parts }: ICAL.Recur): Parts {
  const entries = Object.entries((parts ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(
    entries.filter(([, values]) => Array.isArray(values) && values.length > 0) as [
      string,
      (string | number)[],
    ][],
  );
}

function frequencyProblem({ freq, interval }: ICAL.Recur, parts: Parts): string | undefined {
  const known = allowed[freq];
  if (known === undefined) return `recurs ${freq}; supported are yearly, monthly, weekly, and daily`;
  const unknown = [...parts.keys()].find((part) => !known.includes(part));
  if (unknown !== undefined) return `recurs ${freq} by ${unknown}, which is not supported`;
  return interval < 1 || interval > maxInterval ? `recurs with an interval of ${interval}` : undefined;
}

function daysProblem({ freq }: ICAL.Recur, parts: Parts): string | undefined {
  const valuesOf = (name: string) => parts.get(name) ?? [];
  const [days, monthDays, months] = [valuesOf("BYDAY"), valuesOf("BYMONTHDAY"), valuesOf("BYMONTH")];
  if (days.length > 0 && monthDays.length > 0) return "recurs by both BYDAY and BYMONTHDAY";
  if (freq === "WEEKLY" && days.some((day) => !/^[A-Z]{2}$/.test(String(day))))
    return "recurs weekly on a numbered day";
  if (freq === "YEARLY" && monthDays.length > 0 && months.length === 0)
    return "recurs yearly by BYMONTHDAY without BYMONTH";
  const isDay = (day: number, month: number) => day >= 1 && day <= (maxMonths.get(month) ?? 31);
  return months.some((month) => monthDays.some((day) => !isDay(Number(day), Number(month))))
    ? "recurs on a day that the month does not have"
    : undefined;
}
