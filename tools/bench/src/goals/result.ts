// What a measurement of a goal gives, as the tables print it and the file of results keeps it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const goalIds = ["G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9"] as const;
export type GoalId = (typeof goalIds)[number];

/** One line of a table. Texts have their units. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  /** What a bare program needs for the same, in the same run. */
  readonly floor?: string | undefined;
  /** What the program that we are compared with needs for the same, in the same run. */
  readonly peer?: string | undefined;
  readonly goal?: string | undefined;
  /** Undefined for a row without a goal. */
  readonly isMet?: boolean | undefined;
}

/** The machine during a measurement. */
export interface Machine {
  readonly commit: string;
  readonly at: string;
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  /** Processes that wanted to run, on average over a minute, before and after. */
  readonly load: readonly [before: number, after: number];
}

export interface GoalResult {
  readonly id: GoalId;
  readonly title: string;
  /** Gives this table alone. */
  readonly command: string;
  /** Name of the peer, when there was one. */
  readonly peer: string | undefined;
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  readonly machine: Machine;
}

interface Bound {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly floor?: string | undefined;
  readonly peer?: string | undefined;
  /** What is shown behind the value. */
  readonly also?: string;
}

/** A row whose value may be so large at most. */
export function atMost(bound: number, row: Bound): Row {
  return { ...shown(row), goal: `≤ ${withUnit(bound, row.unit)}`, isMet: row.value <= bound };
}

/** A row whose value has to be so large at least. */
export function atLeast(bound: number, row: Bound): Row {
  return { ...shown(row), goal: `≥ ${withUnit(bound, row.unit)}`, isMet: row.value >= bound };
}

/** A row without a goal. */
export function shown({ what, value, unit, floor, peer, also }: Bound): Row {
  const measured = `${withUnit(value, unit)}${also === undefined ? "" : ` (${also})`}`;
  return { what, measured, floor, peer };
}

/** Three digits are more than any of these figures is worth. */
export function withUnit(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "not measured";
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return `${rounded.toLocaleString("en-US", { maximumFractionDigits: 4 })}${unit === "" ? "" : ` ${unit}`}`;
}

export function readResults(file: string): readonly GoalResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly GoalResult[]) : [];
}

/** Replaces the goals that were measured, and keeps the others. */
export function storeResults(file: string, measured: readonly GoalResult[]): void {
  const all = new Map([...readResults(file), ...measured].map((one) => [one.id, one]));
  const sorted = goalIds.flatMap((id) => all.get(id) ?? []);
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
