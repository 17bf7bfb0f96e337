// Counts results of mutants, and says how sure a score of a sample is.
import type { MutantStatus } from "@stryker-mutator/api/core";

export interface Counts {
  readonly killed: number;
  readonly survived: number;
  /** No test runs its code. */
  readonly uncovered: number;
  readonly equivalent: number;
  /** Code that runs when its module is loaded, and what Stryker could not run. */
  readonly untried: number;
}

export interface Outcome {
  readonly status: MutantStatus;
  readonly isEquivalent: boolean;
}

export function count(outcomes: readonly Outcome[]): Counts {
  const counts = { killed: 0, survived: 0, uncovered: 0, equivalent: 0, untried: 0 };
  for (const outcome of outcomes) counts[kindOf(outcome)]++;
  return counts;
}

function kindOf({ status, isEquivalent }: Outcome): keyof Counts {
  if (isEquivalent) return "equivalent";
  switch (status) {
    case "Killed":
    case "Timeout":
      return "killed";
    case "Survived":
      return "survived";
    case "NoCoverage":
      return "uncovered";
    case "Ignored":
    case "Pending":
    case "CompileError":
    case "RuntimeError":
      return "untried";
  }
}

export function sum(all: readonly Counts[]): Counts {
  const total = (key: keyof Counts): number => all.reduce((so, counts) => so + counts[key], 0);
  return {
    killed: total("killed"),
    survived: total("survived"),
    uncovered: total("uncovered"),
    equivalent: total("equivalent"),
    untried: total("untried"),
  };
}

/** Percent of the mutants that a test could kill; undefined when there are none. */
export function scoreOf({ killed, survived, uncovered }: Counts): number | undefined {
  const all = killed + survived + uncovered;
  return all === 0 ? undefined : (100 * killed) / all;
}

/** Wilson's interval of the score at 95 %, for a sample. */
export function intervalOf(counts: Counts): readonly [low: number, high: number] {
  const all = counts.killed + counts.survived + counts.uncovered;
  if (all === 0) return [0, 100];
  const [z, share] = [1.96, counts.killed / all];
  const middle = share + z ** 2 / (2 * all);
  const half = z * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2));
  const scale = 100 / (1 + z ** 2 / all);
  return [(middle - half) * scale, (middle + half) * scale];
}

/** One line of the summary. */
export function line(name: string, counts: Counts, isSample: boolean): string {
  const score = scoreOf(counts);
  const [low, high] = intervalOf(counts);
  const range = isSample ? ` (95 % confidence: ${low.toFixed(1)} to ${high.toFixed(1)} %)` : "";
  const { killed, survived, uncovered, equivalent, untried } = counts;
  return (
    `${name}: ${score === undefined ? "no mutants" : `${score.toFixed(1)} %${range}`}; ${killed} killed, ` +
    `${survived} survived, ${uncovered} without a test, ${equivalent} equivalent, ${untried} not tried`
  );
}
