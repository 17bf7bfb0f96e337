// The command `plimsoll schedule`.
import { instantMs } from "@plimsoll/core";
import { dayMs } from "@plimsoll/core/internal/values";
import { instantOfLocal } from "@plimsoll/core/schedules";
import { problemText } from "@plimsoll/migration/manifests";
import { Command } from "commander";
import { outputOption, repeated } from "../../cluster/flags.ts";
import { readInput, shownFile } from "../../input/read-input.ts";
import { namedZone } from "../../input/time-zone.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
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

const maxDays = 366;

/** plimsoll schedule … */
export function scheduleCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const schedule = new Command("schedule").description("Previews the schedules of WorkloadAutoscalers.");
  schedule
    .command("preview")
    .description(
      "Shows when the schedules in a file change replicas. Exits with 1 when the file has a problem.",
    )
    .argument("<FILE>", "YAML or JSON with WorkloadAutoscalers; - for standard input")
    .option("--days <DAYS>", "number of days to show", "14")
    .option("--from <INSTANT>", "first moment: RFC 3339, or a date for its midnight (default: now)")
    .option("--time-zone <ZONE>", "time zone to show (default: that of the first entry)")
    .option(
      "--calendar <NAME=FILE>",
      "iCalendar file for exclusions that use this name; repeatable",
      repeated,
    )
    .addOption(outputOption(["text", "json"]))
    .action(async (file: string, flags: PreviewFlags) => done(await preview(file, flags, seams)));
  return schedule;
}

async function preview(file: string, flags: PreviewFlags, seams: CliSeams): Promise<ExitCode> {
  const days = Number(flags.days);
  if (!Number.isInteger(days) || days < 1 || days > maxDays)
    throw new CliError(`--days ${flags.days} is not a whole number from 1 to ${maxDays}`);
  const text = await readInput(file, seams);
  const shown = shownFile(file);
  const fromMs = startOf(flags, seams.nowMs(), () => zoneOfFile(text, shown));
  const toMs = fromMs + days * dayMs;
  const calendars = await readCalendars(flags.calendar ?? [], seams);
  const { objects, problems } = readFile(text, shown, { fromMs, toMs, calendars });
  for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
  if (objects.length === 0 && problems.length === 0) throw new CliError(`no WorkloadAutoscaler in ${shown}`);
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
  return problems.length > 0 ? 1 : 0;
}

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;

function startOf(flags: PreviewFlags, nowMs: number, zoneOfEntry: () => string): number {
  const { from, timeZone } = flags;
  if (from === undefined) return nowMs;
  const instant = dateForm.test(from) ? instantMs(`${from}T00:00:00Z`) : instantMs(from);
  if (instant === undefined) {
    throw new CliError(
      `--from ${from} is not a time: use a value such as 2026-12-24T08:00:00Z, or 2026-12-24`,
    );
  }
  if (!dateForm.test(from)) return instant;
  const local = instantOfLocal(instant, namedZone(timeZone ?? zoneOfEntry()));
  return local;
}

/** That of the first entry, which times are shown in as well. */
function zoneOfFile(text: string, file: string): string {
  const { objects } = readFile(text, file, { fromMs: 0, toMs: 0, calendars: new Map() });
  return objects[0]?.schedules[0]?.timeZone ?? "UTC";
}

function shownZone(
  object: ScheduledObject | undefined,
  { timeZone }: PreviewFlags,
): Pick<PreviewRange, "timeZone" | "offset"> {
  const name = timeZone ?? object?.schedules[0]?.timeZone ?? "UTC";
  return { timeZone: name, offset: namedZone(name) };
}

async function readCalendars(
  given: readonly string[],
  seams: CliSeams,
): Promise<ReadonlyMap<string, string>> {
  const calendars = new Map<string, string>();
  for (const pair of given) {
    const at = pair.indexOf("=");
    if (at < 1) throw new CliError(`--calendar ${pair} must be NAME=FILE`);
    calendars.set(pair.slice(0, at), await readInput(pair.slice(at + 1), seams));
  }
  return calendars;
}
