// Columns side by side: each figure as the median and range of its runs, and whether it keeps what is expected.
import { type ScoreName, scoreNames } from "../file/read-expect.ts";
import type { Expectation, ScenarioFile } from "../file/scenario-file.ts";
import type { SimulatedRun } from "../loop/result.ts";
import { type Range, rangeOf } from "./range.ts";
import type { WorkloadScores } from "./scores.ts";
import { totalScores } from "./totals.ts";

/** The figures of one column; one that is not known in every run is absent. */
export interface ColumnScores {
  readonly name: string;
  /** Runs that were made; fewer than asked for after an interruption. */
  readonly runs: number;
  /** Of all workloads together. */
  readonly scores: Scores;
  readonly nodeHours?: Range;
  readonly workloads: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly scores: Scores;
  }[];
}

/** Figures by their names. */
export type Scores = { readonly [Name in ScoreName]?: Range };

/** Whether an expectation is met. */
export interface Expected {
  /** Such as "target 70: hotSeconds <= 60". */
  readonly text: string;
  readonly ok: boolean;
  /** The median; absent where it is not known, which never meets a bound. */
  readonly found?: number;
}

/** The figures of a column out of its runs. */
export function columnScores(name: string, runs: readonly SimulatedRun[]): ColumnScores {
  const nodeHours = rangeOf(runs.map((run) => run.nodeHours));
  return {
    name,
    runs: runs.length,
    scores: ranges(runs.map(({ workloads }) => totalScores(workloads.map(({ scores }) => scores)))),
    ...(nodeHours === undefined ? {} : { nodeHours }),
    workloads: (runs[0]?.workloads ?? []).map(({ namespace, name: workload }, index) => ({
      namespace,
      name: workload,
      scores: ranges(runs.flatMap(({ workloads }) => workloads[index]?.scores ?? [])),
    })),
  };
}

function ranges(runs: readonly WorkloadScores[]): Scores {
  const found = scoreNames.map((name) => [name, rangeOf(runs.map((scores) => scores[name]))] as const);
  return Object.fromEntries(found.filter(([, range]) => range !== undefined)) as Scores;
}

/** Checks a file's expectations against the medians. */
export function checkExpectations(
  { expectations }: ScenarioFile,
  columns: readonly ColumnScores[],
): readonly Expected[] {
  return expectations.map((expectation) => {
    const { column, workload, score, compare, bound } = expectation;
    const of = columns.find(({ name }) => name === column);
    const scores =
      workload === undefined ? of?.scores : of?.workloads.find(({ name }) => name === workload)?.scores;
    const found = scores?.[score as ScoreName]?.median;
    const subject = workload === undefined ? column : `${column}, ${workload}`;
    return {
      text: `${subject}: ${score} ${compare} ${bound}`,
      ok: found !== undefined && isWithin(found, expectation),
      ...(found === undefined ? {} : { found }),
    };
  });
}

function isWithin(found: number, { compare, bound }: Expectation): boolean {
  switch (compare) {
    case "<=":
      return found <= bound;
    case "<":
      return found < bound;
    case ">=":
      return found >= bound;
    case ">":
      return found > bound;
    case "=":
      return found === bound;
  }
}
