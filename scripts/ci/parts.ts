// The parts of a whole check, with their budgets, and what a part's output says of its tests.
import { stripVTControlCharacters } from "node:util";

export interface Part {
  readonly name: string;
  /** What it may take on two idle cores. */
  readonly minutes: number;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** It needs one core at most, and runs at the same time as the part after it. */
  readonly besideNext?: true;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export interface PartResult extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** What it said of its failures, when it has any. */
  readonly failures?: string | undefined;
}

/**
 * docs/testing.md has the same names and minutes. Seeds are fixed: a run is red because of what was changed, never
 * because of what was drawn. New seeds are tried by command.
 */
export const parts: readonly Part[] = [
  // Properties at their full size.
  { name: "test", minutes: 5, args: ["test"], environment: { PROPERTY_TIMES: "1", PROPERTY_SEED: "1" } },
  // Both processes with a real Prometheus, the images, the files of a release, and simulations of many hours.
  { name: "e2e", minutes: 5, args: ["run", "test:e2e"] },
  // The page in a real Chromium.
  { name: "console", minutes: 4, args: ["run", "test:console"], besideNext: true },
  // The documentation site in a real Chromium.
  { name: "docs", minutes: 2, args: ["run", "test:docs"], besideNext: true },
  { name: "verify", minutes: 1, args: ["run", "verify"] },
  { name: "demo", minutes: 1, args: ["run", "demo", "--", "--fast"], besideNext: true },
  // What has become twice as expensive, by ratios to a floor of the same run.
  { name: "bench", minutes: 4, args: ["run", "bench", "--", "short"], besideNext: true },
  // Random cases against the real controller.
  { name: "oracle", minutes: 2, args: ["run", "oracle", "--", "--cases", "20000", "--seed", "1"] },
  // Rewritten queries in the real parsers of PromQL.
  {
    name: "promql",
    minutes: 1,
    args: ["run", "oracle:promql", "--", "--corpus", "--cases", "5000", "--seed", "1"],
    besideNext: true,
  },
  // Autoscalers and adapters on virtual time, with faults drawn from seeds.
  {
    name: "storm",
    minutes: 3,
    args: ["run", "storm", "--", "--seed", "1", "--minutes", "2"],
    besideNext: true,
  },
  // Processes without memory, processor, files or names, and for longer than a test.
  { name: "faults", minutes: 5, args: ["run", "test:faults"] },
  // A hostile tenant beside a victim.
  { name: "hostile", minutes: 10, args: ["run", "test:hostile", "--", "--seed", "1", "--minutes", "1"] },
  // Adapter and autoscaler on a real control plane, which the first run on a machine builds in 10 to 20 minutes.
  { name: "cluster", minutes: 15, args: ["run", "test:cluster"] },
];

/** The parts that are named, or all. @throws on a name that no part has */
export function choose(names: readonly string[]): readonly Part[] {
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined)
    throw new Error(`${unknown} is no part; there are ${parts.map(({ name }) => name).join(", ")}`);
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

/** Together with those of other parts it has to fit into what a log viewer keeps of the end. */
const FAILURE_LINES = 40;
const FAILURE_LINE_CHARACTERS = 300;

/** What vitest lists as failed, else the last lines, without colors. */
export function failureText(output: string): string {
  const lines = stripVTControlCharacters(output).trimEnd().split("\n");
  const first = lines.findIndex((line) => /^⎯+ Failed (Tests|Suites) \d+ ⎯/.test(line));
  const shown = first < 0 ? lines.slice(-FAILURE_LINES) : lines.slice(first, first + FAILURE_LINES);
  return shown.map((line) => line.slice(0, FAILURE_LINE_CHARACTERS)).join("\n");
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
  return `${name.padEnd(8)} ${clock(seconds).padStart(7)}   ${passed} passed, ${failed} failed`;
}

/** Minutes and seconds. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
