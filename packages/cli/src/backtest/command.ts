// The command `plimsoll backtest`.
import { parseGoDuration } from "@plimsoll/core/duration";
import { Command, Option } from "commander";
import { type SettingFlags, settingOptions, settingOverrides } from "../decisions/settings-flags.ts";
import { checkWithoutPrometheus, type HistoryFlags, historyOptions } from "../history/flags.ts";
import { documentText, isDocumentFormat } from "../output/document.ts";
import { styleOf } from "../output/style.ts";
import { printable } from "../printable.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import type { BacktestDocument, BacktestReport } from "./document.ts";
import { backtestRecords } from "./exact.ts";
import { backtestHistory, type HistoryBacktest } from "./history.ts";
import { linesReport } from "./lines.ts";
import { markdownReport } from "./markdown.ts";
import { backtestRecordings } from "./recordings.ts";
import { textReport } from "./report.ts";
import { readCounterfactual, type WhatIfFlags, whatIfOptions } from "./what-if-flags.ts";

interface BacktestFlags extends WhatIfFlags, HistoryFlags, SettingFlags {
  readonly object?: string;
  readonly all?: boolean;
  readonly recording?: readonly string[];
  readonly cacheAge: string;
  readonly require: string;
  readonly syncPeriod: string;
  readonly output: "text" | "json" | "yaml" | "markdown";
}

/** plimsoll backtest … */
export function backtestCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = new Command("backtest")
    .description(
      "Says how far the rules reproduce what an autoscaler did: recorded inputs are decided again, with a memory of our own from one to the next. Ends with 2 when fewer steps agree than --require, or one is unexplained.",
    )
    .argument(
      "[FILE|OBJECT...]",
      "decision records, one document or one a line, also gzip; a directory of them, as --record-inputs writes it; - for the standard input. With --prometheus-url: NAME, hpa/NAME, wla/NAME, or deploy|sts|rs/NAME for what scales it",
    )
    .option(
      "--recording <FILE...>",
      "recordings of an autoscaler instead of records, also gzip; - for the standard input",
    )
    .option("--object <NAMESPACE/NAME>", "of this autoscaler only; of all, the worst first, when absent")
    .option(
      "--all",
      "with --prometheus-url: all autoscalers of the namespace, or of the manifest, a line each",
    )
    .option("--require <PERCENT>", "how many of the steps of each autoscaler have to agree", "99%")
    .option(
      "--sync-period <DURATION>",
      "of the controller: two changes of the count within it are the same change",
      "15s",
    )
    .option("--cache-age <DURATION>", "of a recording: how old an answer of its metrics API may be", "15s")
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it")
        .choices(["text", "json", "yaml", "markdown"])
        .default("text"),
    );
  for (const option of [...historyOptions(), ...settingOptions(["--sync-period"]), ...whatIfOptions()])
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
  return all === true ? linesReport(document.objects, styleOf(seams, "never")) : textReport(document);
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
  const periodMs = periodFlag(flags.syncPeriod);
  const { syncPeriodMs: _, ...settings } = settingOverrides(flags);
  const cacheAgeMs = ageFlag(flags.cacheAge);
  const counterfactual = await readCounterfactual(flags, seams);
  if (prometheusUrl !== undefined) {
    if (recording !== undefined || object !== undefined)
      throw new CliError(
        `--prometheus-url and --${recording === undefined ? "object" : "recording"} exclude each other: name the objects themselves`,
      );
    const replay = { periodMs, cacheAgeMs, settings, counterfactual };
    const request = { objects: files, isAll: flags.all === true, flags: { ...flags, prometheusUrl } };
    return await backtestHistory({ ...replay, ...request }, seams);
  }
  checkWithoutPrometheus(flags);
  if (recording === undefined) {
    if (counterfactual !== undefined) {
      throw new CliError(
        "--what-if needs the load, which decision records do not have: give --recording FILE, or --prometheus-url",
      );
    }
    if (files.length === 0)
      throw new CliError(
        "name files of decision records, or give --recording FILE, or an object and --prometheus-url",
      );
    return { ...(await backtestRecords({ files, object, periodMs }, seams)), findings: [] };
  }
  if (files.length > 0) {
    throw new CliError(`${files[0]} is beside --recording: give decision records or recordings, not both`);
  }
  const flagged = { periodMs, cacheAgeMs, settings, counterfactual };
  return { ...(await backtestRecordings({ files: recording, object, ...flagged }, seams)), findings: [] };
}

function noRecords({ object, recording, prometheusUrl }: BacktestFlags): string {
  if (prometheusUrl !== undefined) return "the history holds no decisions: read a longer span";
  if (recording !== undefined) {
    return object === undefined
      ? "the recordings hold no decisions: record a longer span"
      : `no recording is of --object ${object}: write NAMESPACE/NAME, or leave it away to see all`;
  }
  return object === undefined
    ? "the files hold no decision records: give what --record-inputs of the autoscaler writes"
    : `the files hold no records of --object ${object}: write NAMESPACE/NAME, or leave it away to see all`;
}

function shareFlag(text: string): number {
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new CliError(`--require ${text} is no share: write such as 99%`);
}

function ageFlag(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 0 && ms <= 300_000) return ms;
  throw new CliError(`--cache-age ${text} is no duration from 0s to 5m: write such as 15s`);
}

function periodFlag(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 1000 && ms <= 3_600_000) return ms;
  throw new CliError(`--sync-period ${text} is no duration from 1s to 1h: write such as 15s`);
}
