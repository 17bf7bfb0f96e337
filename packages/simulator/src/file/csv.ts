// Reads a load out of a table: a column with the time and one with the value.
import { instantMs } from "@plimsoll/core";
import { type Load, noLoad } from "../load/load.ts";
import type { LoadContext } from "./load-context.ts";
import type { Section } from "./section.ts";

/** One problem says enough of a file; more of its rows have the same, as a rule. */
interface RowProblem {
  readonly row: number;
  readonly column: string;
  readonly found: string;
  readonly message: string;
}

/**
 * `{ file, time, value }` with the names of the columns. `per: 1m` says that values count what came in that time; they
 * are requests per second without it. Times are RFC 3339, or seconds since the start of the scenario.
 */
export function readCsv(section: Section, context: LoadContext): Load {
  const file = section.text("file");
  const [time, value] = [section.text("time", "time"), section.text("value", "value")];
  const perMs = section.has("per") ? section.duration("per") : undefined;
  section.close();
  if (file === "") return noLoad;
  if (perMs === 0) section.problem("per", "is zero", "use a value such as 1m");
  const read = context.sources.text(file);
  if (!read.ok) {
    section.problem("file", `cannot be read: ${read.message}`, "check the path");
    return noLoad;
  }
  const rows = read.text.split(/\r?\n/).map((row) => row.split(",").map((cell) => cell.trim()));
  const header = rows[0] ?? [];
  const [timeAt, valueAt] = [header.indexOf(time), header.indexOf(value)];
  for (const [key, at] of [
    ["time", timeAt],
    ["value", valueAt],
  ] as const) {
    if (at < 0) section.problem(key, `is not a column of ${file}`, `its first row has ${header.join(", ")}`);
  }
  if (timeAt < 0 || valueAt < 0) return noLoad;
  const columns = { time, value, timeAt, valueAt };
  const { atMs, values, problem } = readRows(rows, columns, context.startMs);
  if (problem !== undefined) {
    const { row, column, found, message } = problem;
    const text = `${file} row ${row}, column ${column}: ${JSON.stringify(found)} ${message}`;
    section.findings.problems.push({ path: section.path, message: text, remedy: "correct the file" });
  } else if (atMs.length === 0) {
    section.problem("file", "has no rows", "add at least one row below the header");
  }
  const scale = perMs === undefined ? 1 : 1000 / perMs;
  const perSecond = values.map((one) => one * scale);
  return { kind: "points", shape: perMs === undefined ? "lines" : "steps", atMs, perSecond };
}

interface Columns {
  readonly time: string;
  readonly value: string;
  readonly timeAt: number;
  readonly valueAt: number;
}

/** The first row is the header; rows count from 1, as editors show them. */
function readRows(
  rows: readonly (readonly string[])[],
  { time, value, timeAt, valueAt }: Columns,
  startMs: number,
): {
  readonly atMs: readonly number[];
  readonly values: readonly number[];
  readonly problem: RowProblem | undefined;
} {
  const atMs: number[] = [];
  const values: number[] = [];
  for (const [index, cells] of rows.entries()) {
    if (index === 0 || (cells.length === 1 && cells[0] === "")) continue;
    const [timeText = "", valueText = ""] = [cells[timeAt], cells[valueAt]];
    const instant = timeOf(timeText, startMs);
    const amount = valueText === "" ? NaN : Number(valueText);
    const wrong = timeProblem(instant, atMs.at(-1)) ?? valueProblem(amount);
    if (wrong !== undefined) {
      const of =
        wrong.of === "time" ? { column: time, found: timeText } : { column: value, found: valueText };
      return { atMs, values, problem: { row: index + 1, ...of, message: wrong.message } };
    }
    atMs.push(instant);
    values.push(amount);
  }
  return { atMs, values, problem: undefined };
}

function timeOf(text: string, startMs: number): number {
  const seconds = text === "" ? NaN : Number(text);
  return Number.isNaN(seconds) ? (instantMs(text) ?? NaN) : startMs + seconds * 1000;
}

type Wrong = { readonly of: "time" | "value"; readonly message: string } | undefined;

function timeProblem(instant: number, before = -Infinity): Wrong {
  if (!Number.isFinite(instant)) return { of: "time", message: "is not a time" };
  return instant > before ? undefined : { of: "time", message: "is not after the row before" };
}

function valueProblem(amount: number): Wrong {
  if (!Number.isFinite(amount)) return { of: "value", message: "is not a number" };
  return amount < 0 ? { of: "value", message: "is negative" } : undefined;
}
