// Reads the scenario of a command line: the file, with what the flags change in it.
import { problemText, readSources, type SourceObject } from "@plimsoll/migration/manifests";
import { readScenario, type ScenarioFile } from "@plimsoll/simulator";
import { readInput, shownFile } from "../../input/read-input.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import { readNamedFiles } from "./sources.ts";

/** What flags put in the place of fields of the file. */
export interface ScenarioChanges {
  readonly seed: number | undefined;
  readonly runs: number | undefined;
  readonly durationMs: number | undefined;
  /** Files with autoscalers, each of them one more column. */
  readonly autoscalers: readonly string[];
}

/** The scenario, or every problem in one line each. @throws CliError where there is no scenario. */
export async function readScenarioFile(
  file: string,
  changes: ScenarioChanges,
  seams: Pick<CliSeams, "readText" | "signal">,
): Promise<{ readonly file: ScenarioFile | undefined; readonly problems: readonly string[] }> {
  const text = await readInput(file, seams);
  const shown = shownFile(file);
  const { objects, problems } = readSources(text, shown);
  if (problems.length > 0) return { file: undefined, problems: problems.map(problemText) };
  const [source, ...others] = objects.filter(({ kind }) => kind === "Scenario");
  if (source === undefined) throw new CliError(`no Scenario in ${shown}`);
  if (others.length > 0)
    throw new CliError(`${shown} has ${others.length + 1} Scenarios; use a file with one`);
  const value = withChanges(source, changes);
  const sources = await readNamedFiles(value, file, seams);
  const { durationMs } = changes;
  const read = readScenario(value, durationMs === undefined ? sources : { ...sources, durationMs });
  return { file: read.file, problems: read.problems.map((problem) => problemText(source.locate(problem))) };
}

function withChanges(
  { value }: SourceObject,
  { seed, runs, autoscalers }: ScenarioChanges,
): SourceObject["value"] {
  const listed: unknown = value["autoscalers"];
  const added = autoscalers.map((file) => ({ file }));
  return {
    ...value,
    ...(seed === undefined ? {} : { seed }),
    ...(runs === undefined ? {} : { runs }),
    ...(added.length === 0
      ? {}
      : { autoscalers: [...(Array.isArray(listed) ? (listed as unknown[]) : []), ...added] }),
  };
}
