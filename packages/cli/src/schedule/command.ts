import { instantMs, zoneOffset } from "@plimsoll/core";
import { Command, Option } from "commander";
import { problemText } from "../convert/problem.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import { previewOf } from "./preview.ts";
import { readFile, type ScheduledObject } from "./read.ts";
import { jsonReport, type PreviewRange, textReport } from "./report.ts";

interface PreviewFlags {
  readonly days: string;
  readonly from?: string;
  readonly timeZone?: string;
  readonly calendar?: readonly string[];
  readonly output: "text" | "json";
}

const dayMs = 86_400_000;
const mostDays = 366;

/** plimsoll schedule … */
export function scheduleCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const schedule = new Command("schedule").description("Schedules of WorkloadAutoscalers.");
  schedule
    .command("preview")
    .description("Tells what the schedules in a file will do. Ends with 2 when there is a problem in it.")
    .argument("<FILE>", "YAML or JSON with WorkloadAutoscalers; - for the standard input")
    .option("--days <DAYS>", "how many days from the first", "14")
    .option("--from <INSTANT>", "the first moment, in RFC 3339; now when absent")
    .option("--time-zone <ZONE>", "show times of this zone; without it, of that of the first entry")
    .option(
      "--calendar <NAME=FILE>",
      "an iCalendar file that exclusions call by this name; may be repeated",
      (value: string, all: readonly string[] | undefined) => [...(all ?? []), value],
    )
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it").choices(["text", "json"]).default("text"),
    )
    .action(async (file: string, flags: PreviewFlags) => done(await preview(file, flags, seams)));
  return schedule;
}

async function preview(file: string, flags: PreviewFlags, seams: CliSeams): Promise<ExitCode> {
  const days = Number(flags.days);
  if (!Number.isInteger(days) || days < 1 || days > mostDays) {
    throw new CliError(`--days ${flags.days} is no whole number from 1 to ${mostDays}`);
  }
  const fromMs = flags.from === undefined ? seams.nowMs() : instantMs(flags.from);
  if (fromMs === undefined) {
    throw new CliError(`--from ${flags.from ?? ""} is no instant: write such as 2026-12-24T08:00:00Z`);
  }
  const toMs = fromMs + days * dayMs;
  const calendars = await readCalendars(flags.calendar ?? [], seams);
  const shownFile = file === "-" ? "(standard input)" : file;
  const { objects, problems } = readFile(await readText(file, seams), shownFile, { fromMs, toMs, calendars });
  for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
  if (objects.length === 0 && problems.length === 0) {
    throw new CliError(`there is no WorkloadAutoscaler in ${shownFile}`);
  }
  const previews = objects.map((object) => previewOf(object, fromMs, toMs));
  const rangeOf = (object: ScheduledObject | undefined) => ({
    fromMs,
    toMs,
    days,
    ...shownZone(object, flags),
  });
  seams.writeOut(
    flags.output === "json"
      ? jsonReport(file, previews, { range: rangeOf(objects[0]), problems })
      : previews.map((one) => textReport(one, rangeOf(one.object))).join("\n"),
  );
  return problems.length > 0 ? 2 : 0;
}

function shownZone(
  object: ScheduledObject | undefined,
  { timeZone }: PreviewFlags,
): Pick<PreviewRange, "timeZone" | "offset"> {
  const name = timeZone ?? object?.schedules[0]?.timeZone ?? "UTC";
  const offset = zoneOffset(name);
  if (offset === undefined) {
    throw new CliError(
      `--time-zone ${name} is no time zone: use a name of the IANA list, such as Europe/Berlin`,
    );
  }
  return { timeZone: name, offset };
}

async function readCalendars(
  given: readonly string[],
  seams: CliSeams,
): Promise<ReadonlyMap<string, string>> {
  const calendars = new Map<string, string>();
  for (const pair of given) {
    const at = pair.indexOf("=");
    if (at < 1) throw new CliError(`--calendar ${pair} is no NAME=FILE`);
    calendars.set(pair.slice(0, at), await readText(pair.slice(at + 1), seams));
  }
  return calendars;
}

async function readText(file: string, seams: Pick<CliSeams, "readText">): Promise<string> {
  try {
    return await seams.readText(file);
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
