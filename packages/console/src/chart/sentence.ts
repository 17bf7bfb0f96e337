// A chart in words: the sentence below its title, and what the cursor is on.
import { clockText } from "../ui/words.ts";
import type { ChartData, Line } from "./series.ts";

/** A number as a chart has it: no more digits than say something. */
export function numberText(value: number | null, unit = ""): string {
  if (value === null) return "no value";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 3;
  return `${Number(value.toFixed(digits)).toLocaleString("en-US")}${unit}`;
}

/** The span, and of each line where it begins, ends and how far it goes. */
export function sentenceOf({ times, lines, unit, band }: ChartData): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return "There are no values yet.";
  const span = `From ${clockText(first * 1000)} to ${clockText(last * 1000)}`;
  const words = lines.map((line) => lineText(line, unit)).filter((text) => text !== "");
  const within =
    band === undefined
      ? ""
      : ` Between ${numberText(band.low, unit)} and ${numberText(band.high, unit)} nothing changes.`;
  return `${span}: ${words.join("; ")}.${within}`;
}

function lineText({ name, values }: Line, unit: string): string {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return "";
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (low === high) return `${name} ${numberText(first, unit)} throughout`;
  return `${name} from ${numberText(first, unit)} to ${numberText(last, unit)}, between ${numberText(low, unit)} and ${numberText(high, unit)}`;
}

/** What the cursor is on, as it is said. */
export function momentText({ times, lines, unit }: ChartData, index: number): string {
  const at = times[index];
  if (at === undefined) return "";
  const values = lines.map(({ name, values }) => `${name} ${numberText(values[index] ?? null, unit)}`);
  return `${clockText(at * 1000)}: ${values.join(", ")}`;
}
