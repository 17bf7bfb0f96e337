// A scenario as its file has it: what all its runs have in common, and a column for each autoscaler.
import type { Remark } from "@plimsoll/core/internal/values";
import type { Load } from "../load/load.ts";
import type { Autoscaler, Scenario } from "../scenario.ts";
import type { Expectation } from "../score/compare.ts";
import type { Assumption, Section } from "./section.ts";

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
  /** The load of a recording that the section names, moved to this start; absent where none can be read. */
  recordedLoad?(section: Section, startMs: number): Load;
  /** Instead of that of the file. */
  readonly durationMs?: number;
}

/** What became of reading: the file, unless there is a problem. All problems at once. */
export interface ScenarioRead {
  readonly file: ScenarioFile | undefined;
  readonly problems: readonly Remark[];
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
