// The command `plimsoll tune`.
import type { Recording } from "@plimsoll/backtest";
import type { HistoryRead } from "@plimsoll/backtest/prometheus";
import { printable } from "@plimsoll/component-base/text";
import { Command } from "commander";
import { checkWithoutPrometheus } from "../../history/flags.ts";
import { HistoryFinding, readOneHistory } from "../../history/open.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { styleOf } from "../../output/style.ts";
import { CliError, type CliSeams, clockOf, type ExitCode } from "../../seams.ts";
import { readRecordingFile } from "../backtest/read-recording.ts";
import { recordedName } from "../backtest/recorded-autoscaler.ts";
import type { TuneDocument } from "./document.ts";
import { tuneDocument } from "./document-of.ts";
import { readTuneFlags, type TuneFlags, tuneOptions, typedCommand } from "./flags.ts";
import { renderFront } from "./front-svg.ts";
import { markdownReport } from "./markdown.ts";
import { openFolder, writeFolder } from "./out-folder.ts";
import { textReport } from "./report.ts";
import { csvReport } from "./rows.ts";
import { search, type TuneSettings } from "./search.ts";

/** plimsoll tune … */
export function tuneCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const command = new Command("tune")
    .description(
      "Searches for a spec that costs less and meets the objective. Checks it on days that it was not chosen on. The answer may be to keep the current spec. Exits with 2 when there are too few days, or the simulation is too inaccurate.",
    )
    .argument("[OBJECT]", "with --prometheus-url: NAME, hpa/NAME, wla/NAME, or deploy|sts|rs/NAME");
  for (const option of tuneOptions()) command.addOption(option);
  return command.action(async (object: string | undefined, flags: TuneFlags) => {
    done(await tuneObject(object, flags, seams));
  });
}

async function tuneObject(object: string | undefined, flags: TuneFlags, seams: CliSeams): Promise<ExitCode> {
  const read = await readTuneFlags(flags, seams);
  if (!read.ok) {
    for (const problem of read.problems) seams.writeError(`error: ${problem}\n`);
    return 1;
  }
  const { settings } = read;
  try {
    const history = await recordingOf(object, flags, settings.periodMs, seams);
    return await tuneRecording(history, settings, flags, seams);
  } catch (error) {
    if (!(error instanceof HistoryFinding)) throw error;
    seams.writeError(`error: ${printable(error.message)}\n`);
    return 2;
  }
}

type ReadHistory = Pick<HistoryRead, "recording" | "notes">;

async function tuneRecording(
  { recording, notes }: ReadHistory,
  settings: TuneSettings,
  flags: TuneFlags,
  seams: CliSeams,
): Promise<ExitCode> {
  const folder = folderOf(flags, recordedName(recording));
  if (folder !== undefined) await openFolder(folder);
  const clock = clockOf(seams);
  const fromMs = clock.nowMs();
  const found = await search(recording, settings, seams);
  const document = tuneDocument(
    { ...found, notes: [...notes, ...found.notes] },
    {
      recording,
      settings,
      isZoneGiven: seams.args.some((arg) => arg.startsWith("--time-zone")),
      version: seams.version,
      command: typedCommand(seams, untilOf(flags, recording)),
    },
  );
  for (const error of document.errors) seams.writeError(`error: ${printable(error)}\n`);
  for (const note of document.notes) seams.writeError(`note: ${printable(note)}\n`);
  seams.writeOut(reportOf(document, { flags, tookMs: clock.nowMs() - fromMs, seams }));
  if (folder !== undefined) {
    const [first, ...others] = await writeFolder(folder, document);
    seams.writeError(`wrote ${printable([`${folder}/${first}`, ...others].join(" "))}\n`);
  }
  return codeOf(document);
}

async function recordingOf(
  object: string | undefined,
  flags: TuneFlags,
  periodMs: number,
  seams: CliSeams,
): Promise<ReadHistory> {
  const { recording, prometheusUrl } = flags;
  if (prometheusUrl !== undefined) {
    if (recording !== undefined) throw new CliError("--prometheus-url and --recording can't be combined");
    if (object === undefined) throw new CliError("--prometheus-url needs an object, such as hpa/shop");
    return await readOneHistory(object, { ...flags, prometheusUrl }, periodMs, seams);
  }
  checkWithoutPrometheus(flags);
  if (object !== undefined) {
    const remedy = recording === undefined ? "set it, or --recording FILE" : "remove one of them";
    throw new CliError(`${object} needs --prometheus-url, which has its history: ${remedy}`);
  }
  if (recording === undefined)
    throw new CliError("nothing to read: use --recording FILE, or an object with --prometheus-url");
  return { recording: await readRecordingFile(recording, seams), notes: [] };
}

/** A history that ends now ends elsewhere when it is read again. */
function untilOf({ prometheusUrl, until }: TuneFlags, { span }: Recording): readonly string[] {
  if (prometheusUrl === undefined || until !== undefined) return [];
  return ["--until", new Date(span.toMs).toISOString()];
}

/** Undefined: nothing is written. */
function folderOf({ out, output }: TuneFlags, name: string): string | undefined {
  if (typeof out === "string") return out;
  if (out === false || output !== "text") return undefined;
  return `tune-${name.split("/").at(-1) ?? ""}`;
}

function reportOf(
  document: TuneDocument,
  { flags, tookMs, seams }: { readonly flags: TuneFlags; readonly tookMs: number; readonly seams: CliSeams },
): string {
  const { output } = flags;
  if (isDocumentFormat(output)) return documentText(document, output);
  switch (output) {
    case "csv":
      return csvReport(document);
    case "svg":
      return renderFront(document);
    case "markdown":
      return markdownReport(document);
    case "text":
      return textReport(document, tookMs, styleOf(seams, flags.color));
  }
}

/** What is found about the recording, not about the command line. */
const findings: ReadonlySet<string> = new Set(["too-few-days", "model-error"]);

function codeOf({ report, refusal, errors }: TuneDocument): ExitCode {
  if (errors.length > 0) return 1;
  // With --force there is a report.
  if (refusal === undefined) return report?.control.isWithinBar === false ? 2 : 0;
  return findings.has(refusal.kind) ? 2 : 1;
}
