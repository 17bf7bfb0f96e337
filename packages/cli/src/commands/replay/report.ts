// The output of `plimsoll replay`: written record by record as text, and as one document otherwise.
import { printable } from "@plimsoll/component-base/text";
import type { Replayed, StepDifference } from "./compare.ts";

/** What all records together gave. */
export interface Totals {
  readonly records: number;
  readonly equal: number;
  readonly hasChanges: boolean;
}

const maxFields = 8;
const maxValueLength = 60;

/** The lines of one record: a headline, then a line for each step that differs. */
export function recordLines(replayed: Replayed, hasChanges: boolean): string {
  const { object, at, current, recorded, now, isEqual } = replayed;
  const was = hasChanges ? `decided ${current} -> ${recorded}` : `recorded ${current} -> ${recorded}`;
  const same = hasChanges ? "no step changes" : "the same to the byte";
  const lines = [
    `${object}  ${at}  ${was}, ${isEqual ? same : `now ${current} -> ${now}`}`,
    ...steps(replayed.differences).flatMap(stepLines),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

/** Such as "1204 records: 1200 equal, 4 differ". */
export function totalLine({ records, equal, hasChanges }: Totals): string {
  const others = records - equal;
  const words = hasChanges
    ? `${equal} unchanged, ${others} changed`
    : `${equal} equal${others === 0 ? "" : `, ${others} ${others === 1 ? "differs" : "differ"}`}`;
  return `${records} record${records === 1 ? "" : "s"}: ${words}\n`;
}

interface Step {
  readonly name: string;
  readonly fields: readonly StepDifference[];
}

function steps(differences: readonly StepDifference[]): readonly Step[] {
  const grouped = Map.groupBy(differences, ({ step, metric }) =>
    metric === undefined ? step : `${step} ${metric + 1}`,
  );
  return [...grouped].map(([name, fields]) => ({ name, fields }));
}

function stepLines({ name, fields }: Step): readonly string[] {
  const shown = fields.slice(0, maxFields).map(fieldText);
  const more = fields.length > maxFields ? [`and ${fields.length - maxFields} more`] : [];
  return [...shown, ...more].map((text, index) => `  ${(index === 0 ? name : "").padEnd(15)}  ${text}`);
}

function fieldText(difference: StepDifference): string {
  const { field } = difference;
  if (field === "") return difference.recorded === undefined ? "is a new step" : "is no longer a step";
  return `${field}  ${valueText(difference.recorded)} -> ${valueText(difference.now)}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return "(absent)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
