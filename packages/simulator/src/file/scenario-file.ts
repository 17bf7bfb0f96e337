// A scenario as its file has it: what all its runs have in common, and a column for each autoscaler.
import type { Autoscaler, Scenario } from "../loop/scenario.ts";
import type { Recording } from "../replay/recording.ts";
import type { Assumption, FileProblem } from "./section.ts";

/** A file without problems. */
export interface ScenarioFile {
  readonly name: string;
  readonly runs: number;
  /** Without autoscalers; its seed is that of the first run. */
  readonly scenario: Scenario;
  readonly columns: readonly Column[];
  readonly expectations: readonly Expectation[];
  readonly assumptions: readonly Assumption[];
}

/** One specification, or several that belong together: one for each of some workloads. */
export interface Column {
  readonly name: string;
  readonly autoscalers: readonly {
    /** Position of the workload in the scenario. */
    readonly workload: number;
    readonly autoscaler: Autoscaler;
  }[];
}

/** A bound that a column has to keep, in the median of its runs. */
export interface Expectation {
  readonly column: string;
  /** Undefined: the sum of all workloads, or the only one. */
  readonly workload: string | undefined;
  readonly score: string;
  readonly compare: "<=" | "<" | ">=" | ">" | "=";
  readonly bound: number;
}

/** What a file is read with. */
export interface FileSources {
  /** The text of a file that the scenario names, or why it cannot be read. */
  text(
    file: string,
  ): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };
  /** The objects of an autoscaler's file, with its patch applied, or why there are none. */
  objects(
    file: string,
    patch: readonly unknown[],
  ):
    | { readonly ok: true; readonly objects: readonly unknown[] }
    | { readonly ok: false; readonly message: string };
  /** A recording that the scenario names; absent where none can be read. */
  recording?(
    file: string,
  ): { readonly ok: true; readonly recording: Recording } | { readonly ok: false; readonly message: string };
  /** Instead of that of the file. */
  readonly durationMs?: number;
}

/** What became of reading: the file, unless there is a problem. All problems at once. */
export interface ScenarioRead {
  readonly file: ScenarioFile | undefined;
  readonly problems: readonly FileProblem[];
}

/** The scenario of one run of one column. Runs have seeds that follow each other, the same for every column. */
export function scenarioOf({ scenario }: ScenarioFile, column: Column, run: number): Scenario {
  const byWorkload = new Map(column.autoscalers.map(({ workload, autoscaler }) => [workload, autoscaler]));
  return {
    ...scenario,
    seed: scenario.seed + run,
    workloads: scenario.workloads.map((workload, index) => {
      const autoscaler = byWorkload.get(index);
      return autoscaler === undefined ? workload : { ...workload, autoscaler };
    }),
  };
}
