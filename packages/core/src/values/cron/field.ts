/** The values that a field of a schedule allows. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Written with a star: it does not narrow anything down. */
  readonly isStar: boolean;
}

export interface FieldRule {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  /** 7 is Sunday as well. */
  readonly hasSeven?: boolean;
  /** An empty item of a list is let through and means nothing. */
  readonly allowsEmpty?: boolean;
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

export const fieldRules = {
  second: { min: 0, max: 59 },
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  dayOfWeek: { min: 0, max: 6, names: weekdays },
} as const satisfies Record<string, FieldRule>;

/** One field such as "1-5", "0,30" or a star with a step; undefined when it is malformed. */
export function parseField(text: string, rule: FieldRule): CronField | undefined {
  const values = new Set<number>();
  let isStar = false;
  for (const item of text.split(",")) {
    if (item === "" && rule.allowsEmpty === true) continue;
    const range = parseItem(item, rule);
    if (range === undefined) return undefined;
    isStar ||= range.isStar;
    for (let value = range.from; value <= range.to; value += range.step)
      values.add(rule.hasSeven === true && value === 7 ? 0 : value);
  }
  return { values, isStar };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly isStar: boolean;
}

function parseItem(item: string, rule: FieldRule): Range | undefined {
  const [span = "", stepText, ...rest] = item.split("/");
  if (rest.length > 0) return undefined;
  const step = stepText === undefined ? 1 : wholeNumber(stepText);
  if (step === undefined || step < 1) return undefined;
  if (span === "*" || span === "?") return { from: rule.min, to: rule.max, step, isStar: true };
  const [low = "", high, ...more] = span.split("-");
  const from = valueOf(low, rule);
  // "N/step" runs to the end of the field.
  const last = high === undefined ? (stepText === undefined ? from : rule.max) : valueOf(high, rule);
  if (more.length > 0 || from === undefined || last === undefined || from > last) return undefined;
  return { from, to: last, step, isStar: false };
}

function valueOf(text: string, rule: FieldRule): number | undefined {
  const named = rule.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named >= 0 ? named + rule.min : wholeNumber(text);
  const max = rule.hasSeven === true ? 7 : rule.max;
  return value !== undefined && value >= rule.min && value <= max ? value : undefined;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
