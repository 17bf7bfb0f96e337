// Makes the runs of a scenario and puts their figures side by side.
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { formatInstant } from "@plimsoll/core";
import {
  checkExpectations,
  columnScores,
  type ScenarioFile,
  type SimulatedRun,
  scenarioOf,
  stepResponses,
} from "@plimsoll/simulator";
import { createProgress } from "../../output/progress.ts";
import { CliError, type CliSeams, clockOf } from "../../seams.ts";
import {
  type EvaluateBatch,
  evaluateInline,
  evaluateOnThreads,
  type SimulateTask,
} from "../../threads/simulations.ts";
import type { SimulateDocument } from "./document.ts";

/** Fewer are made sooner than a thread is there. */
const fewSyncs = 40_000;
const seriesPoints = 1440;

/** The runs of each column, in the order of their seeds; those that an interruption left out are absent. */
export type ColumnRuns = readonly (readonly SimulatedRun[])[];

/** Makes all runs, on threads where that is worth it. @throws CliError where one fails. */
export async function makeRuns(
  file: ScenarioFile,
  jobs: number | undefined,
  seams: CliSeams,
): Promise<{ readonly runs: ColumnRuns; readonly notes: readonly string[] }> {
  // The first run of each column, then the second: an interruption leaves columns that can be compared.
  const tasks = Array.from({ length: file.runs }, (_, run) =>
    file.columns.map(
      (column): SimulateTask => ({
        scenario: scenarioOf(file, column, run),
        // Only the first run of a column is drawn.
        seriesPoints: run === 0 ? seriesPoints : 0,
      }),
    ),
  ).flat();
  const found: (SimulatedRun | undefined)[] = tasks.map(() => undefined);
  const progress = createProgress(tasks.length, seams);
  let failure: string | undefined;
  await evaluatorOf(file, { jobs, tasks: tasks.length, seams })(
    tasks,
    (index, outcome) => {
      progress.step();
      if (outcome.ok) found[index] = outcome.run;
      else failure ??= outcome.message;
    },
    seams.signal,
  );
  progress.end();
  if (failure !== undefined) throw new CliError(`the simulation failed: ${failure}`);
  const runs = file.columns.map((_, column) =>
    found.filter((_run, at) => at % file.columns.length === column).filter((run) => run !== undefined),
  );
  const missing = found.filter((run) => run === undefined).length;
  const notes =
    missing === 0 ? [] : [`interrupted: ${found.length - missing} of ${found.length} runs are complete`];
  return { runs, notes };
}

function evaluatorOf(
  { scenario }: ScenarioFile,
  {
    jobs,
    tasks,
    seams,
  }: { readonly jobs: number | undefined; readonly tasks: number; readonly seams: CliSeams },
): EvaluateBatch {
  const syncs = (scenario.durationMs / scenario.controller.syncPeriodMs) * scenario.workloads.length * tasks;
  if (jobs === undefined && syncs < fewSyncs) return evaluateInline;
  return evaluateOnThreads(jobs ?? availableParallelism(), clockOf(seams));
}

/** The figures of all columns, and whether they are as expected. */
export function simulateDocument(
  file: ScenarioFile,
  made: { readonly runs: ColumnRuns; readonly notes: readonly string[] },
  version: string,
): SimulateDocument {
  const { scenario, columns } = file;
  const scores = columns.map(({ name }, index) => columnScores(name, made.runs[index] ?? []));
  return {
    schema: "plimsoll/simulate/v1",
    version,
    name: file.name,
    scenarioDigest: digest(scenario),
    start: formatInstant(scenario.startMs),
    durationSeconds: scenario.durationMs / 1000,
    seed: scenario.seed,
    runs: file.runs,
    assumptions: file.assumptions,
    columns: scores.map((column, index) => {
      const workloads = made.runs[index]?.[0]?.workloads;
      return {
        ...column,
        specDigest: digest(columns[index]?.autoscalers),
        ...(workloads === undefined
          ? {}
          : {
              series: workloads.map(({ series }) => series),
              steps: workloads.map(({ series, changes }) => stepResponses(series, changes)),
            }),
      };
    }),
    expectations: checkExpectations(file.expectations, scores),
    notes: made.notes,
  };
}

function digest(value: unknown): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(value)).digest("hex")}`;
}
