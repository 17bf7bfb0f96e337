// The command `plimsoll simulate`.
import { formatInstant } from "@plimsoll/core";
import { parseGoDuration } from "@plimsoll/core/duration";
import { renderSvg, type ScenarioFile } from "@plimsoll/simulator";
import { type Command, Option } from "commander";
import { choice, clusterCommand, countFlag, repeated } from "../../cluster/flags.ts";
import { saveRecording } from "../../history/save.ts";
import { amount } from "../../output/amount.ts";
import { csvCell as quoted } from "../../output/csv.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { markdownCell as cell } from "../../output/markdown.ts";
import { type Style, styleOf } from "../../output/style.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import type { SimulateDocument } from "./document.ts";
import { explainAt } from "./explain-at.ts";
import { figures, spanText } from "./figures.ts";
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
      "Simulates autoscalers. A scenario file describes the load, the pods, and the cluster. The report has a column for each autoscaler. Exits with 2 when an expectation of the file fails. An object of a cluster continues from its newest decision.",
    outputs,
    jq: ".columns[] | [.name, .scores.podHours.median]",
  }).argument(
    "<FILE|OBJECT>",
    "YAML or JSON with a Scenario, - for standard input, or NAME, hpa/NAME, wla/NAME",
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
    new Option("--autoscaler <FILE>", "another autoscaler to compare; repeatable").argParser(repeated),
    new Option("--runs <N>", "number of runs, each with its own random numbers"),
    new Option("--seed <N>", "seed of the first run"),
    new Option("--jobs <N>", "runs in parallel (default: one per processor)"),
    new Option("--duration <DURATION>", "overrides the duration of the file, for example 2h"),
    new Option(
      "--at <INSTANT>",
      "explain the decision at this time of the first run. For an object: a change, for example 5m:queue_depth=900; repeatable",
    ).argParser(repeated),
    new Option("--column <N>", "with --at and --save: number of the autoscaler, from 1").default("1"),
    new Option(
      "--save <FILE>",
      "also save the first run as a recording for tune and backtest (.gz: compressed). Object and External metrics only",
    ),
  ].map((option) => option.helpGroup(ofFile));
}

function objectOptions(): readonly Option[] {
  return [
    new Option(
      "--set <CHANGE>",
      "change a field (spec.maxReplicas=60) or a metric (cpu=120% of today's value, or a total); repeatable",
    ).argParser(repeated),
    new Option("--for <DURATION>", "how long to simulate").default("30m"),
    new Option("--ready-after <DURATION>", "how long a new pod takes to become Ready").default("45s"),
    choice("--load <MODEL>", "whether pods share the load, or each has its own", [
      "constant-total",
      "constant-per-pod",
    ]),
  ].map((option) => option.helpGroup(ofObject));
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
  const document = simulateDocument(
    file,
    { ...made, notes: [...movedLoads(file), ...made.notes] },
    seams.version,
  );
  for (const note of document.notes) seams.writeError(`note: ${note}\n`);
  seams.writeOut(reportOf(document, { output: flags.output, file, style }));
  return document.expectations.every(({ ok }) => ok) ? 0 : 2;
}

/** Of each recording that does not begin when the scenario does. */
function movedLoads({ assumptions }: ScenarioFile): readonly string[] {
  const field = ".recording.start";
  return assumptions
    .filter(({ path }) => path.endsWith(field))
    .map(({ path, value }) => `${path.slice(0, -".start".length)}: ${value}`);
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
  throw new CliError(`--duration ${text} is not a duration above zero: use a value such as 2h`);
}

const columns = ["load", "capacity", "ready", "desired", "hot", "short", "backlog"] as const;

/** A row for each column, workload and bucket of the first run. */
function csvReport(document: SimulateDocument): string {
  const rows = [["autoscaler", "workload", "time", ...columns].join(",")];
  for (const { name, workloads, series = [] } of document.columns) {
    for (const [index, one] of series.entries()) {
      const lead = `${quoted(name)},${quoted(workloads[index]?.name ?? "")}`;
      for (let bucket = 0; bucket < one.load.length; bucket++) {
        const values = columns.map((column) => String(rounded(one[column][bucket] ?? 0)));
        rows.push([lead, formatInstant(one.startMs + bucket * one.bucketMs), ...values].join(","));
      }
    }
  }
  return `${rows.join("\n")}\n`;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** A heading, the table, and what was expected. */
function markdownReport(document: SimulateDocument): string {
  const { name, durationSeconds, runs, seed, columns, expectations, notes } = document;
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const lines = [
    `### ${cell(name)}`,
    "",
    `${spanText(durationSeconds)}, ${runs === 1 ? "1 run" : `${runs} runs`}, seed ${seed}`,
    "",
    row(["Autoscaler", ...figures.map(({ heading }) => sentence(heading))]),
    row(["---", ...figures.map(() => "---:")]),
    ...columns.map((column) => row([column.name, ...figures.map(({ text }) => text(column, document))])),
    ...(expectations.length === 0 ? [] : [""]),
    ...expectations.map(
      ({ text, ok, found }) =>
        `- ${ok ? "ok" : "**failed**"}: ${cell(text)}, was ${found === undefined ? "not known" : amount(found)}`,
    ),
    ...notes.map((note) => `\n${cell(note)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function sentence(heading: string): string {
  return heading.charAt(0) + heading.slice(1).toLowerCase();
}
