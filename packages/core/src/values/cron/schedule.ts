import { parseGoDuration } from "../duration/go-duration.ts";
import { instantMs } from "../time/rfc3339.ts";
import { type CronField, fieldRules, parseField } from "./field.ts";

/** When something is due: at local times that match, or every so often. */
export type CronSchedule =
  | {
      readonly kind: "fields";
      readonly second: CronField;
      readonly minute: CronField;
      readonly hour: CronField;
      readonly dayOfMonth: CronField;
      readonly month: CronField;
      readonly dayOfWeek: CronField;
    }
  | { readonly kind: "every"; readonly intervalMs: number };

/** A schedule of local times. */
export type CronFields = Extract<CronSchedule, { kind: "fields" }>;

/** "standard": five fields, 7 is Sunday too. "cronhpa": seconds first, day of week optional, descriptors. */
export type CronDialect = "standard" | "cronhpa";

/** What the descriptors of the seconds-first dialect mean; `@every` and `@date` beside them take arguments. */
export const cronDescriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 0 1 1 *"],
  ["@annually", "0 0 0 1 1 *"],
  ["@monthly", "0 0 0 1 * *"],
  ["@weekly", "0 0 0 * * 0"],
  ["@daily", "0 0 0 * * *"],
  ["@midnight", "0 0 0 * * *"],
  ["@hourly", "0 0 * * * *"],
]);

/** A list of all minutes, hours and days has fewer characters; a longer text is not a schedule, and is not read. */
export const maxCronLength = 256;

/** Undefined when the text is not a schedule of that dialect. One that can never be due is still a schedule. */
export function parseCron(text: string, dialect: CronDialect): CronSchedule | undefined {
  if (text.length > maxCronLength) return undefined;
  const trimmed = text.trim();
  if (dialect === "standard") {
    const fields = trimmed.split(/\s+/);
    return fields.length === 5 ? parseFields(["0", ...fields], dialect) : undefined;
  }
  if (trimmed.startsWith("@")) return parseDescriptor(trimmed);
  const fields = trimmed.split(/\s+/);
  if (fields.length === 5) return parseFields([...fields, "*"], dialect);
  return fields.length === 6 ? parseFields(fields, dialect) : undefined;
}

function parseFields(fields: readonly string[], dialect: CronDialect): CronSchedule | undefined {
  const common = dialect === "cronhpa" ? { allowsEmpty: true } : {};
  const weekday = dialect === "standard" ? { hasSeven: true } : {};
  const rules = [
    fieldRules.second,
    fieldRules.minute,
    fieldRules.hour,
    fieldRules.dayOfMonth,
    fieldRules.month,
    { ...fieldRules.dayOfWeek, ...weekday },
  ];
  const parsed = rules.map((rule, i) => parseField(fields[i] ?? "", { ...rule, ...common }));
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = parsed;
  if (!second || !minute || !hour || !dayOfMonth || !month || !dayOfWeek) return undefined;
  return { kind: "fields", second, minute, hour, dayOfMonth, month, dayOfWeek };
}

function parseDescriptor(text: string): CronSchedule | undefined {
  const expansion = cronDescriptors.get(text);
  if (expansion !== undefined) return parseFields(expansion.split(" "), "cronhpa");
  if (text.startsWith("@every ")) {
    const ms = parseGoDuration(text.slice("@every ".length));
    if (ms === undefined) return undefined;
    return { kind: "every", intervalMs: Math.max(1000, Math.floor(ms / 1000) * 1000) };
  }
  // Go reads an hour of one digit, and a fraction of a second that the layout does not have.
  const date = /^@date (\d{4})-(\d\d)-(\d\d) (\d\d?):(\d\d):(\d\d)(?:[.,]\d+)?$/.exec(text);
  if (date === null) return undefined;
  const [, year, month, day, written = "", minute, second] = date;
  const hour = written.padStart(2, "0");
  // The year must make the date a real one, and is then forgotten.
  if (instantMs(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) === undefined) return undefined;
  return parseFields([second ?? "", minute ?? "", hour, day ?? "", month ?? "", "*"], "cronhpa");
}
