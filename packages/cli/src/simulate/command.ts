// The command `plimsoll simulate`.
import { parseGoDuration } from "@plimsoll/core/duration";
import { renderSvg, type ScenarioFile } from "@plimsoll/simulator";
import { Command, Option } from "commander";
import { countFlag } from "../cluster/flags.ts";
import { documentText } from "../output/document.ts";
import { type ColorMode, styleOf } from "../output/style.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import { csvReport } from "./csv.ts";
import type { SimulateDocument } from "./document.ts";
import { explainAt } from "./explain-at.ts";
import { markdownReport } from "./markdown.ts";
import { readScenarioFile } from "./read-file.ts";
import { textReport } from "./report.ts";
import { makeRuns, simulateDocument } from "./run.ts";

interface SimulateFlags {
  readonly output: "text" | "json" | "yaml" | "svg" | "csv" | "markdown";
  readonly autoscaler?: readonly string[];
  readonly runs?: string;
  readonly seed?: string;
  readonly jobs?: string;
  readonly duration?: string;
  readonly at?: string;
  readonly column?: string;
  readonly color: ColorMode;
}

const outputs = ["text", "json", "yaml", "svg", "csv", "markdown"];
const maxSeed = Number.MAX_SAFE_INTEGER - 1000;

/** plimsoll simulate FILE */
export function simulateCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("simulate")
    .description(
      "Shows what autoscalers would do under a load: a scenario file says the load, the pods and the cluster, and each autoscaler is one column of the report. Ends with 2 when something that the file expects is false.",
    )
    .argument("<FILE>", "YAML or JSON with a Scenario; - for the standard input")
    .addOption(new Option("-o, --output <FORMAT>", "how to write it").choices(outputs).default("text"))
    .option(
      "--autoscaler <FILE>",
      "one more autoscaler to compare; may be repeated",
      (value: string, all: readonly string[] | undefined) => [...(all ?? []), value],
    )
    .option("--runs <N>", "how many runs, each with its own random numbers")
    .option("--seed <N>", "the random numbers of the first run")
    .option("--jobs <N>", "runs at a time; as many as there are processors when absent")
    .option("--duration <DURATION>", "instead of that of the file, such as 2h")
    .option("--at <INSTANT>", "explain the decision at this instant of the first run")
    .option("--column <N>", "of this autoscaler, from 1", "1")
    .addOption(new Option("--color <WHEN>", "color the output").choices(["auto", "always", "never"]).default("auto"))
    .action(async (file: string, flags: SimulateFlags) => done(await simulateFile(file, flags, seams)));
}

async function simulateFile(path: string, flags: SimulateFlags, seams: CliSeams): Promise<ExitCode> {
  const { file, problems } = await readScenarioFile(
    path,
    {
      seed: countOf("--seed", flags.seed, { min: 0, max: maxSeed }),
      runs: countOf("--runs", flags.runs, { min: 1, max: 1000 }),
      durationMs: flags.duration === undefined ? undefined : durationOf(flags.duration),
      autoscalers: flags.autoscaler ?? [],
    },
    seams,
  );
  const jobs = countOf("--jobs", flags.jobs, { min: 1, max: 256 });
  for (const problem of problems) seams.writeError(`error: ${problem}\n`);
  if (file === undefined) return 1;
  const style = styleOf(seams, flags.color);
  if (flags.at !== undefined) {
    const column = countFlag("--column", flags.column ?? "1", { min: 1, max: 1000 });
    seams.writeOut(explainAt(file, { at: flags.at, column }, style));
    return 0;
  }
  const made = await makeRuns(file, jobs, seams);
  const document = simulateDocument(file, made, seams.version);
  for (const note of document.notes) seams.writeError(`note: ${note}\n`);
  seams.writeOut(flags.output === "text" ? textReport(document, style) : reportOf(document, flags.output, file));
  return document.expectations.every(({ ok }) => ok) ? 0 : 2;
}

function reportOf(document: SimulateDocument, output: Exclude<SimulateFlags["output"], "text">, file: ScenarioFile): string {
  switch (output) {
    case "json":
    case "yaml":
      return documentText(document, output);
    case "csv":
      return csvReport(document);
    case "markdown":
      return markdownReport(document);
    case "svg":
      return renderSvg(file.name, columnsToDraw(document));
  }
}

/** A panel for each autoscaler and workload. */
function columnsToDraw({ columns }: SimulateDocument): Parameters<typeof renderSvg>[1] {
  return columns.flatMap(({ name, workloads, series = [] }) =>
    series.map((one, index) => ({
      name: workloads.length === 1 ? name : `${name}: ${workloads[index]?.name ?? ""}`,
      series: one,
    })),
  );
}

function countOf(
  flag: string,
  text: string | undefined,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  return text === undefined ? undefined : countFlag(flag, text, range);
}

function durationOf(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new CliError(`--duration ${text} is no duration above zero: write such as 2h`);
}
