import type ICAL from "ical.js";

const allowed: Readonly<Record<string, readonly string[]>> = {
  DAILY: [],
  WEEKLY: ["BYDAY"],
  MONTHLY: ["BYDAY", "BYMONTHDAY"],
  YEARLY: ["BYDAY", "BYMONTHDAY", "BYMONTH"],
};
const longestInterval = 100;
const longestMonths = new Map([
  [2, 29],
  [4, 30],
  [6, 30],
  [9, 30],
  [11, 30],
]);

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
  const { freq, interval } = rule;
  const parts = Object.entries((rule.parts ?? {}) as Readonly<Record<string, unknown>>).filter(
    ([, values]) => Array.isArray(values) && values.length > 0,
  ) as [string, (string | number)[]][];
  const known = allowed[freq];
  if (known === undefined) return `recurs ${freq}; yearly, monthly, weekly and daily are followed`;
  const unknown = parts.find(([part]) => !known.includes(part));
  if (unknown !== undefined) return `recurs ${freq} by ${unknown[0]}, which is not followed`;
  if (interval < 1 || interval > longestInterval) return `recurs with an interval of ${interval}`;
  const valuesOf = (name: string) => parts.find(([part]) => part === name)?.[1] ?? [];
  const [days, monthDays, months] = ["BYDAY", "BYMONTHDAY", "BYMONTH"].map(valuesOf);
  if ((days?.length ?? 0) > 0 && (monthDays?.length ?? 0) > 0)
    return "recurs by BYDAY and BYMONTHDAY at once";
  if (freq === "WEEKLY" && days?.some((day) => !/^[A-Z]{2}$/.test(String(day)))) {
    return "recurs weekly by a numbered day";
  }
  if (freq === "YEARLY" && (monthDays?.length ?? 0) > 0 && (months?.length ?? 0) === 0) {
    return "recurs yearly by BYMONTHDAY without BYMONTH";
  }
  const isDay = (day: number, month: number) => day >= 1 && day <= (longestMonths.get(month) ?? 31);
  if (months?.some((month) => monthDays?.some((day) => !isDay(Number(day), Number(month))))) {
    return "recurs on a day that the month does not have";
  }
  return undefined;
}
