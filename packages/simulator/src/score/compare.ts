// Columns side by side: each figure as the median and range of its runs, and whether it keeps what is expected.
import { type Range, rangeOf } from "./range.ts";
import { type ScoreName, type SimulatedRun, scoreNames, type WorkloadScores } from "./scores.ts";

/** The figures of one column; one that is unknown in every run is absent. */
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

/** A bound that a column has to keep, in the median of its runs. */
export interface Expectation {
  readonly column: string;
  /** Undefined: the sum of all workloads, or the only one. */
  readonly workload: string | undefined;
  readonly score: ScoreName;
  readonly compare: "<=" | "<" | ">=" | ">" | "=";
  readonly bound: number;
}

/** Whether an expectation is met. */
export interface Expected {
  /** Such as "target 70: hotSeconds <= 60". */
  readonly text: string;
  readonly ok: boolean;
  /** The median; absent where it is unknown, which never meets a bound. */
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

/** The workloads of a run together: amounts are added, of peaks and of latency the highest counts. */
function totalScores(scores: readonly WorkloadScores[]): WorkloadScores {
  const sum = (amount: (one: WorkloadScores) => number) =>
    scores.reduce((total, one) => total + amount(one), 0);
  const max = (amount: (one: WorkloadScores) => number) => Math.max(0, ...scores.map(amount));
  const latencies = scores.flatMap(({ latencyMs }) => latencyMs ?? []);
  return {
    offered: sum(({ offered }) => offered),
    served: sum(({ served }) => served),
    lost: sum(({ lost }) => lost),
    backlog: sum(({ backlog }) => backlog),
    backlogMax: max(({ backlogMax }) => backlogMax),
    podHours: sum(({ podHours }) => podHours),
    readyPodHours: sum(({ readyPodHours }) => readyPodHours),
    idealPodHours: sum(({ idealPodHours }) => idealPodHours),
    shortPodSeconds: sum(({ shortPodSeconds }) => shortPodSeconds),
    hotSeconds: sum(({ hotSeconds }) => hotSeconds),
    atMaxSeconds: sum(({ atMaxSeconds }) => atMaxSeconds),
    pendingPodSeconds: sum(({ pendingPodSeconds }) => pendingPodSeconds),
    transientSeconds: sum(({ transientSeconds }) => transientSeconds),
    events: sum(({ events }) => events),
    reversals: sum(({ reversals }) => reversals),
    podsStarted: sum(({ podsStarted }) => podsStarted),
    crashes: sum(({ crashes }) => crashes),
    replicasMax: max(({ replicasMax }) => replicasMax),
    latencyMs: latencies.length < scores.length ? undefined : Math.max(...latencies),
  };
}

function ranges(runs: readonly WorkloadScores[]): Scores {
  const found = scoreNames.map((name) => [name, rangeOf(runs.map((scores) => scores[name]))] as const);
  return Object.fromEntries(found.filter(([, range]) => range !== undefined)) as Scores;
}

/** Checks a file's expectations against the medians. */
export function checkExpectations(
  expectations: readonly Expectation[],
  columns: readonly ColumnScores[],
): readonly Expected[] {
  return expectations.map((expectation) => {
    const { column, workload, score, compare, bound } = expectation;
    const of = columns.find(({ name }) => name === column);
    const scores =
      workload === undefined ? of?.scores : of?.workloads.find(({ name }) => name === workload)?.scores;
    const found = scores?.[score]?.median;
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
