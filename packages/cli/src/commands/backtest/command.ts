// The command `plimsoll backtest`.
import { printable } from "@plimsoll/component-base/text";
import { Command } from "commander";
import { outputOption } from "../../cluster/flags.ts";
import { checkWithoutPrometheus, type HistoryFlags, historyOptions } from "../../history/flags.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import type { Style } from "../../output/style.ts";
import { styleOf } from "../../output/style.ts";
import { type Column, tableLines } from "../../output/table.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import type { BacktestDocument, BacktestReport } from "./document.ts";
import { backtestRecords } from "./exact.ts";
import { backtestHistory, type HistoryBacktest } from "./history.ts";
import { markdownReport } from "./markdown.ts";
import { backtestRecordings } from "./recordings.ts";
import {
  type RecordedControllerFlags,
  readRecordedController,
  recordedControllerOptions,
} from "./replay-flags.ts";
import { textReport } from "./report.ts";
import { readCounterfactual, type WhatIfFlags, whatIfOptions } from "./what-if-flags.ts";
import { causesText, clockText, eventsText, levelText, podHoursText, skillText, stepsText } from "./words.ts";

interface BacktestFlags extends WhatIfFlags, HistoryFlags, RecordedControllerFlags {
  readonly object?: string;
  readonly all?: boolean;
  readonly recording?: readonly string[];
  readonly require: string;
  readonly output: "text" | "json" | "yaml" | "markdown";
}

/** plimsoll backtest … */
export function backtestCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = new Command("backtest")
    .description(
      "Measures how well the rules reproduce what an autoscaler did, from its recorded inputs. Exits with 2 when fewer steps agree than --require, or a step is unexplained.",
    )
    .argument(
      "[FILE|OBJECT...]",
      "decision records (one document, or one per line; gzip allowed), or a directory that --record-inputs wrote. - for standard input. With --prometheus-url: NAME, hpa/NAME, wla/NAME, or deploy|sts|rs/NAME",
    )
    .option(
      "--recording <FILE...>",
      "recordings of an autoscaler instead of records; gzip allowed; - for standard input",
    )
    .option("--object <NAMESPACE/NAME>", "report only this autoscaler (default: all, worst first)")
    .option(
      "--all",
      "with --prometheus-url: report all autoscalers of the namespace or manifest, one line each",
    )
    .option("--require <PERCENT>", "share of each autoscaler's steps that must agree", "99%")
    .addOption(outputOption(["text", "json", "yaml", "markdown"]));
  for (const option of [...recordedControllerOptions(), ...historyOptions(), ...whatIfOptions()])
    command.addOption(option);
  return command.action(async (files: readonly string[], flags: BacktestFlags) =>
    done(await backtest(files, flags, seams)),
  );
}

async function backtest(files: readonly string[], flags: BacktestFlags, seams: CliSeams): Promise<ExitCode> {
  const share = shareFlag(flags.require);
  const found = await backtestInputs(files, flags, seams);
  const { reports, notes, findings } = found;
  const errors = [...found.errors, ...findings];
  for (const error of errors) seams.writeError(`error: ${printable(error)}\n`);
  for (const note of notes) seams.writeError(`note: ${printable(note)}\n`);
  if (reports.length === 0 && errors.length === 0) throw new CliError(noRecords(flags));
  const document: BacktestDocument = {
    schema: "plimsoll/backtest/v1",
    version: seams.version,
    objects: reports,
    notes,
    errors,
  };
  seams.writeOut(reportText(document, flags, seams));
  if (seams.signal.aborted) return 130;
  if (found.errors.length > 0) return 1;
  if (findings.length > 0) return 2;
  return reports.every((report) => isReproduced(report, share)) ? 0 : 2;
}

function reportText(
  document: BacktestDocument,
  { output, all }: BacktestFlags,
  seams: Pick<CliSeams, "terminal" | "env">,
): string {
  if (isDocumentFormat(output)) return documentText(document, output);
  if (output === "markdown") return markdownReport(document);
  const style = styleOf(seams, "never");
  return all === true ? linesReport(document.objects, style) : textReport(document, style);
}

/** Of more steps than this nothing is said when they are left out. */
const maxLeftOut = 0.1;

function isReproduced({ openLoop, clock, control }: BacktestReport, required: number): boolean {
  const { steps, agreed, causes, leftOut = 0 } = openLoop;
  if (control?.isWithinBar === false) return false;
  if (clock?.state === "unknown" || leftOut > maxLeftOut * (steps + leftOut)) return false;
  return agreed >= required * steps && (causes.unexplained ?? 0) === 0;
}

async function backtestInputs(
  files: readonly string[],
  flags: BacktestFlags,
  seams: CliSeams,
): Promise<HistoryBacktest> {
  const { object, recording, prometheusUrl } = flags;
  const controller = readRecordedController(flags);
  const counterfactual = await readCounterfactual(flags, seams);
  if (prometheusUrl !== undefined) {
    if (recording !== undefined || object !== undefined)
      throw new CliError(
        `--prometheus-url and --${recording === undefined ? "object" : "recording"} can't be combined: name the objects instead`,
      );
    const request = { objects: files, isAll: flags.all === true, flags: { ...flags, prometheusUrl } };
    return await backtestHistory({ ...controller, counterfactual, ...request }, seams);
  }
  checkWithoutPrometheus(flags);
  if (recording === undefined) {
    if (counterfactual !== undefined) {
      throw new CliError(
        "--what-if needs the load, which decision records don't have: use --recording FILE, or --prometheus-url",
      );
    }
    if (files.length === 0)
      throw new CliError(
        "nothing to read: use files of decision records, --recording FILE, or an object and --prometheus-url",
      );
    return {
      ...(await backtestRecords({ files, object, periodMs: controller.periodMs }, seams)),
      findings: [],
    };
  }
  if (files.length > 0)
    throw new CliError(`${files[0]} and --recording can't be combined: use decision records or recordings`);
  const flagged = { ...controller, counterfactual };
  return { ...(await backtestRecordings({ files: recording, object, ...flagged }, seams)), findings: [] };
}

function noRecords({ object, recording, prometheusUrl }: BacktestFlags): string {
  if (prometheusUrl !== undefined) return "the history contains no decisions: read a longer time";
  if (recording !== undefined) {
    return object === undefined
      ? "the recordings contain no decisions: record a longer time"
      : `no recording of --object ${object}: use NAMESPACE/NAME, or omit the flag to see all`;
  }
  return object === undefined
    ? "the files contain no decision records: use files that the autoscaler's --record-inputs wrote"
    : `the files contain no records of --object ${object}: use NAMESPACE/NAME, or omit the flag to see all`;
}

function shareFlag(text: string): number {
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new CliError(`--require ${text} is not a percentage: use a value such as 99%`);
}

const columns: readonly Column<BacktestReport>[] = [
  { heading: "AUTOSCALER", cell: ({ object }) => object },
  { heading: "LEVEL", cell: levelText, drops: 3 },
  { heading: "CLOCK", cell: (report) => report.clock?.state ?? clockText(report) ?? "exact", drops: 2 },
  { heading: "REPRODUCED", cell: ({ openLoop }) => stepsText(openLoop) },
  {
    heading: "SKILL",
    cell: ({ openLoop }) => (openLoop.skill === undefined ? "-" : skillText(openLoop)),
    drops: 1,
  },
  { heading: "EVENTS", cell: ({ openLoop }) => eventsText(openLoop) },
  { heading: "POD-HOURS", cell: ({ openLoop }) => podHoursText(openLoop), drops: 4 },
  { heading: "MISMATCHES", cell: ({ openLoop }) => causesText(openLoop) ?? "none", shrinksTo: 12 },
];

/** The table, the worst first, with its line end. */
function linesReport(objects: readonly BacktestReport[], style: Style): string {
  const lines = tableLines(objects, columns, { style, hasHeadings: objects.length > 0 });
  return lines.map((line) => `${line}\n`).join("");
}
