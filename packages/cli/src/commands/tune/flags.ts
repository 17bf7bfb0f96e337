// The flags of `plimsoll tune`, and what they say.
import { readTuneSpace, type TuneSpace } from "@plimsoll/backtest";
import { shellWord } from "@plimsoll/core/internal/values";
import { redact } from "@plimsoll/core/redact";
import { problemText, readPlainDocument } from "@plimsoll/migration/manifests";
import { Option } from "commander";
import { colorOption, countFlag, outputOption } from "../../cluster/flags.ts";
import { type HistoryFlags, historyOptions } from "../../history/flags.ts";
import { readInput, shownFile } from "../../input/read-input.ts";
import { namedZone } from "../../input/time-zone.ts";
import type { ColorMode } from "../../output/style.ts";
import type { CliSeams } from "../../seams.ts";
import { type LoadFlags, loadOptions, readLoadFlags } from "../backtest/load-flags.ts";
import {
  type RecordedControllerFlags,
  readRecordedController,
  recordedControllerOptions,
} from "../backtest/replay-flags.ts";
import { objectiveOf } from "./objective.ts";
import type { TuneSettings } from "./search.ts";

/** The command line that gives a result again, with what was not typed, for a shell; credentials are replaced. */
export function typedCommand(
  { name, args }: Pick<CliSeams, "name" | "args">,
  more: readonly string[],
): string {
  return redact([name, ...withoutHeaders([...args, ...more]).map(shellWord)].join(" "));
}

const header = "--prometheus-header";

/** Any header may be a credential. */
function withoutHeaders(args: readonly string[]): readonly string[] {
  return args.map((arg, at) => {
    const isValue = args[at - 1] === header;
    return isValue || arg.startsWith(`${header}=`)
      ? arg.replace(isValue ? /=.*/s : /(?<==[^=]*)=.*/s, "=***")
      : arg;
  });
}

/** As commander reads them. */
export interface TuneFlags extends LoadFlags, RecordedControllerFlags, HistoryFlags {
  readonly recording?: string;
  readonly objective?: string;
  readonly budget?: string;
  readonly space?: string;
  readonly candidates: string;
  readonly seed: string;
  readonly jobs?: string;
  readonly timeZone: string;
  readonly forecast?: boolean;
  readonly force?: boolean;
  /** False with --no-out; undefined: of a name of its own where the report is text. */
  readonly out?: string | false;
  readonly output: (typeof outputs)[number];
  readonly color: ColorMode;
}

export const outputs = ["text", "json", "yaml", "markdown", "svg", "csv"] as const;

/** Floors need three weeks. */
const usualHistory = "28d";
const maxSeed = 2 ** 32 - 1;
const aim = "Search:";
const recorded = "A recording:";
const output = "Output:";

export function tuneOptions(): readonly Option[] {
  return [
    ...[
      new Option(
        "--objective <KEY=VALUE,...>",
        "when a pod is hot: utilization=85% of its CPU request, or hot-above=80 in the unit of the metric. Default: above the load of a pod in 99.9% of the training days. hot=0.1% is the share of a day that it may be hot",
      ),
      new Option(
        "--budget <DURATION>",
        "pod time that may be missing in a day, for example 2m. A spec that misses no more than today's is also accepted",
      ),
      new Option("--space <FILE>", "file that limits what is varied; - for standard input"),
      new Option("--candidates <N>", "number of specs in the first round, 64 to 256").default("256"),
      new Option("--seed <N>", "seed of the search").default("1"),
      new Option("--jobs <N>", "days in parallel (default: one per processor)"),
      new Option("--time-zone <ZONE>", "time zone of days and schedules, for example Europe/Berlin").default(
        "UTC",
      ),
      new Option(
        "--forecast",
        "print next week's forecast of minimum replicas, and how good past forecasts were",
      ),
      new Option("--force", "search even if the simulation doesn't match the recorded autoscaler"),
    ].map((option) => option.helpGroup(aim)),
    ...[
      new Option("--recording <FILE>", "recording of an autoscaler; gzip allowed; - for standard input"),
      ...recordedControllerOptions(),
      ...loadOptions(),
    ].map((option) => option.helpGroup(recorded)),
    ...historyOptions().map((option) => (option.long === "--since" ? option.default(usualHistory) : option)),
    ...[
      new Option(
        "--out <DIR>",
        "directory for patches, report.json, and front.svg (default: tune-NAME for a text report)",
      ),
      new Option("--no-out", "don't write files"),
      outputOption(outputs),
      colorOption(),
    ].map((option) => option.helpGroup(output)),
  ];
}

/** The settings, or every problem of the space. @throws CliError */
export async function readTuneFlags(
  flags: TuneFlags,
  seams: Pick<CliSeams, "readText">,
): Promise<
  | { readonly ok: true; readonly settings: TuneSettings }
  | { readonly ok: false; readonly problems: readonly string[] }
> {
  const { timeZone, jobs } = flags;
  namedZone(timeZone);
  const controller = { ...readRecordedController(flags), ...readLoadFlags(flags) };
  const search = {
    seed: countFlag("--seed", flags.seed, { min: 0, max: maxSeed }),
    candidates: countFlag("--candidates", flags.candidates, { min: 64, max: 256 }),
    objective: objectiveOf(flags.objective, flags.budget),
    timeZone,
    isForced: flags.force === true,
  };
  const settings = {
    ...controller,
    jobs: jobs === undefined ? undefined : countFlag("--jobs", jobs, { min: 1, max: 256 }),
    hasForecast: flags.forecast === true,
  };
  if (flags.space === undefined) return { ok: true, settings: { ...settings, search } };
  const read = await readSpaceFile(flags.space, seams);
  if (!read.ok) return read;
  return { ok: true, settings: { ...settings, search: { ...search, space: read.space } } };
}

/** The space, or every problem in one line each. */
type SpaceFileRead =
  | { readonly ok: true; readonly space: TuneSpace }
  | { readonly ok: false; readonly problems: readonly string[] };

/** @throws CliError where the file cannot be read at all. */
async function readSpaceFile(file: string, seams: Pick<CliSeams, "readText">): Promise<SpaceFileRead> {
  const document = readPlainDocument(await readInput(file, seams), shownFile(file));
  if (!document.ok) return { ok: false, problems: document.problems.map(problemText) };
  const read = readTuneSpace(document.value);
  if (read.ok) return read;
  return { ok: false, problems: read.problems.map((problem) => problemText(document.locate(problem))) };
}
