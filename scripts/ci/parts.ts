// The parts of a whole check, and what a part's output says of its tests.
import { stripVTControlCharacters } from "node:util";
import { npmArgs, tasks } from "../tasks.ts";

export interface Part {
  readonly name: string;
  /** On two idle cores. */
  readonly minutes: number;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** It needs at most one core, and runs at the same time as the part after it. */
  readonly besideNext?: true | undefined;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export interface PartResult extends Counts {
  readonly name: string;
  readonly seconds: number;
}

export const parts: readonly Part[] = Object.entries(tasks).flatMap(([name, task]) => {
  const { minutes = 0, part } = task;
  return part === undefined ? [] : [{ ...part, name, minutes, args: npmArgs(name, task, part.args) }];
});

/** The parts that are named, or all. @throws on a name that no part has */
export function choose(names: readonly string[]): readonly Part[] {
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined)
    throw new Error(`unknown part "${unknown}": use ${parts.map(({ name }) => name).join(", ")}`);
  return names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name));
}

/** In their order, with those of one step at the same time. */
export function stepsOf(chosen: readonly Part[]): readonly (readonly Part[])[] {
  const steps: Part[][] = [];
  let last: Part | undefined;
  for (const part of chosen) {
    if (last?.besideNext === true) steps.at(-1)?.push(part);
    else steps.push([part]);
    last = part;
  }
  return steps;
}

/** By the part's last line "N passed, M failed"; one that has none, or fails all the same, counts as one itself. */
export function countsOf(output: string, isGreen: boolean): Counts {
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed\b/gm)];
  const [, passed, failed] = lines.at(-1) ?? [];
  if (passed === undefined || failed === undefined)
    return isGreen ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const counted = { passed: Number(passed), failed: Number(failed) };
  return isGreen || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

/** Log viewers keep about this much of the end, beside the counts. */
const FAILURE_CHARACTERS = 2400;
const FAILURE_LINE_CHARACTERS = 300;

/** The lines that name a failure, then what vitest says of them, else the last lines; without colors. `shares` parts share the space. */
export function failureText(output: string, shares = 1): string {
  const lines = stripVTControlCharacters(output)
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(0, FAILURE_LINE_CHARACTERS));
  const first = lines.findIndex((line) => /^⎯+ Failed (Tests|Suites) \d+ ⎯/.test(line));
  const isName = (line: string) => /^(?: FAIL |OVER )/.test(line);
  const names = [...new Set(lines.filter(isName))].map((line) => `${line}\n`).join("");
  const most = Math.floor(FAILURE_CHARACTERS / shares);
  const details = lines
    .slice(first + 1)
    .filter((line) => !isName(line))
    .join("\n");
  const rest = Math.max(0, most - names.length);
  return `${names.slice(0, most)}${first < 0 ? details.slice(details.length - rest) : details.slice(0, rest)}`;
}

/** One line for each part, and one for all, which took `seconds`. */
export function summary(results: readonly PartResult[], seconds: number): readonly string[] {
  const sum = (of: (result: PartResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const total = {
    name: "all",
    seconds,
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
  };
  return [...results, total].map(line);
}

function line({ name, seconds, passed, failed }: PartResult): string {
  return `${name.padEnd(13)} ${clock(seconds).padStart(7)}   ${passed} passed, ${failed} failed`;
}

/** Minutes and seconds. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
