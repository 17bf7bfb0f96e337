// The command `plimsoll simulate`.
import { parseGoDuration } from "@plimsoll/core/duration";
import { renderSvg, type ScenarioFile } from "@plimsoll/simulator";
import { type Command, Option } from "commander";
import { clusterCommand, countFlag } from "../cluster/flags.ts";
import { saveRecording } from "../history/save.ts";
import { documentText, isDocumentFormat } from "../output/document.ts";
import { type Style, styleOf } from "../output/style.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import { csvReport } from "./csv.ts";
import type { SimulateDocument } from "./document.ts";
import { explainAt } from "./explain-at.ts";
import { markdownReport } from "./markdown.ts";
import { type ObjectFlags, simulateObject } from "./object.ts";
import { readScenarioFile } from "./read-file.ts";
import { recordedRun } from "./recorded-run.ts";
import { textReport } from "./report.ts";
import { makeRuns, simulateDocument } from "./run.ts";

interface SimulateFlags extends ObjectFlags {
  readonly autoscaler?: readonly string[];
  readonly runs?: string;
  readonly seed?: string;
  readonly jobs?: string;
  readonly duration?: string;
  readonly column?: string;
  readonly save?: string;
}

const outputs = ["text", "json", "yaml", "svg", "csv", "markdown"] as const;
const maxSeed = Number.MAX_SAFE_INTEGER - 1000;
const ofFile = "A scenario file:";
const ofObject = "An object of a cluster:";

/** plimsoll simulate FILE, and plimsoll simulate OBJECT */
export function simulateCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = clusterCommand({
    name: "simulate",
    description:
      "Shows what autoscalers would do. A scenario file says the load, the pods and the cluster, and each autoscaler is one column of the report; it ends with 2 when something that the file expects is false. An object of a cluster goes on from its newest decision.",
    outputs,
    jq: ".columns[] | [.name, .scores.podHours.median]",
  }).argument(
    "<FILE|OBJECT>",
    "YAML or JSON with a Scenario, - for the standard input; or NAME, hpa/NAME, wla/NAME",
  );
  for (const option of [...fileOptions(), ...objectOptions()]) command.addOption(option);
  return command.action(async (target: string, flags: SimulateFlags) => {
    done(await (isFile(target) ? simulateFile(target, flags, seams) : simulateObject(target, flags, seams)));
  });
}

/** Objects have no dot in front of such an end, and no path. */
function isFile(target: string): boolean {
  return target === "-" || /\.(?:ya?ml|json)$/.test(target) || /^\.{0,2}\//.test(target);
}

function fileOptions(): readonly Option[] {
  return [
    new Option("--autoscaler <FILE>", "one more autoscaler to compare; may be repeated").argParser(repeated),
    new Option("--runs <N>", "how many runs, each with its own random numbers"),
    new Option("--seed <N>", "the random numbers of the first run"),
    new Option("--jobs <N>", "runs at a time; as many as there are processors when absent"),
    new Option("--duration <DURATION>", "instead of that of the file, such as 2h"),
    new Option(
      "--at <INSTANT>",
      "explain the decision at this instant of the first run; for an object, a change such as 5m:queue_depth=900, which may be repeated",
    ).argParser(repeated),
    new Option("--column <N>", "with --at and --save: the autoscaler, from 1").default("1"),
    new Option(
      "--save <FILE>",
      "also write the first run as a recording for tune and backtest, compressed where it ends in .gz; for Object and External metrics",
    ),
  ].map((option) => option.helpGroup(ofFile));
}

function objectOptions(): readonly Option[] {
  return [
    new Option(
      "--set <CHANGE>",
      "a field such as spec.maxReplicas=60, a metric in percent of what it is, such as cpu=120%, or its total; may be repeated",
    ).argParser(repeated),
    new Option("--for <DURATION>", "how long it goes on").default("30m"),
    new Option("--ready-after <DURATION>", "how long a new pod takes until it is Ready").default("45s"),
    new Option("--load <MODEL>", "whether pods share the load, or each brings its own")
      .choices(["constant-total", "constant-per-pod"])
      .default("constant-total"),
  ].map((option) => option.helpGroup(ofObject));
}

function repeated(value: string, all: readonly string[] | undefined): readonly string[] {
  return [...(all ?? []), value];
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
  const [at] = flags.at ?? [];
  const column = countFlag("--column", flags.column ?? "1", { min: 1, max: 1000 });
  if (flags.save !== undefined)
    await saveRecording(recordedRun(file, column), flags.save, { isAnonymous: false });
  if (at !== undefined) {
    seams.writeOut(explainAt(file, { at, column }, style));
    return 0;
  }
  const made = await makeRuns(file, jobs, seams);
  const document = simulateDocument(file, made, seams.version);
  for (const note of document.notes) seams.writeError(`note: ${note}\n`);
  seams.writeOut(reportOf(document, { output: flags.output, file, style }));
  return document.expectations.every(({ ok }) => ok) ? 0 : 2;
}

function reportOf(
  document: SimulateDocument,
  { output, file, style }: { readonly output: string; readonly file: ScenarioFile; readonly style: Style },
): string {
  if (isDocumentFormat(output)) return documentText(document, output);
  if (output === "csv") return csvReport(document);
  if (output === "markdown") return markdownReport(document);
  return output === "svg" ? renderSvg(file.name, columnsToDraw(document)) : textReport(document, style);
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
