// The command `plimsoll backtest`.
import { parseGoDuration } from "@plimsoll/core/duration";
import { Command, Option } from "commander";
import { documentText, isDocumentFormat } from "../output/document.ts";
import { printable } from "../printable.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import type { BacktestDocument, BacktestReport } from "./document.ts";
import { backtestRecords } from "./exact.ts";
import { markdownReport } from "./markdown.ts";
import { textReport } from "./report.ts";

interface BacktestFlags {
  readonly object?: string;
  readonly require: string;
  readonly syncPeriod: string;
  readonly output: "text" | "json" | "yaml" | "markdown";
}

/** plimsoll backtest … */
export function backtestCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("backtest")
    .description(
      "Says how far the rules reproduce what an autoscaler did: recorded inputs are decided again, with a memory of our own from one to the next. Ends with 2 when fewer steps agree than --require, or one is unexplained.",
    )
    .argument(
      "<FILE...>",
      "decision records, one document or one a line, also gzip; a directory of them, as --record-inputs writes it; - for the standard input",
    )
    .option("--object <NAMESPACE/NAME>", "of this autoscaler only; of all, the worst first, when absent")
    .option("--require <PERCENT>", "how many of the steps of each autoscaler have to agree", "99%")
    .option(
      "--sync-period <DURATION>",
      "of the controller: two changes of the count within it are the same change",
      "15s",
    )
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it")
        .choices(["text", "json", "yaml", "markdown"])
        .default("text"),
    )
    .action(async (files: readonly string[], flags: BacktestFlags) =>
      done(await backtest(files, flags, seams)),
    );
}

async function backtest(files: readonly string[], flags: BacktestFlags, seams: CliSeams): Promise<ExitCode> {
  const [least, periodMs] = [shareFlag(flags.require), periodFlag(flags.syncPeriod)];
  const found = await backtestRecords({ files, object: flags.object, periodMs }, seams);
  const { reports, notes, errors } = found;
  for (const error of errors) seams.writeError(`error: ${printable(error)}\n`);
  for (const note of notes) seams.writeError(`note: ${printable(note)}\n`);
  if (reports.length === 0 && errors.length === 0) throw new CliError(noRecords(flags.object));
  const document: BacktestDocument = {
    schema: "plimsoll/backtest/v1",
    version: seams.version,
    objects: reports,
    notes,
    errors,
  };
  seams.writeOut(reportText(document, flags.output));
  if (seams.signal.aborted) return 130;
  if (errors.length > 0) return 1;
  return reports.every((report) => isReproduced(report, least)) ? 0 : 2;
}

function reportText(document: BacktestDocument, output: BacktestFlags["output"]): string {
  if (isDocumentFormat(output)) return documentText(document, output);
  return output === "markdown" ? markdownReport(document) : textReport(document);
}

function isReproduced({ openLoop }: BacktestReport, least: number): boolean {
  const { steps, agreed, causes } = openLoop;
  return agreed >= least * steps && (causes.unexplained ?? 0) === 0;
}

function noRecords(object: string | undefined): string {
  return object === undefined
    ? "the files hold no decision records: give what --record-inputs of the autoscaler writes"
    : `the files hold no records of --object ${object}: write NAMESPACE/NAME, or leave it away to see all`;
}

function shareFlag(text: string): number {
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new CliError(`--require ${text} is no share: write such as 99%`);
}

function periodFlag(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 1000 && ms <= 3_600_000) return ms;
  throw new CliError(`--sync-period ${text} is no duration from 1s to 1h: write such as 15s`);
}
