// The flags of `plimsoll tune`, and what they say.
import { Option } from "commander";
import { type LoadFlags, loadOptions, readLoadFlags } from "../backtest/load-flags.ts";
import {
  type RecordedControllerFlags,
  readRecordedController,
  recordedControllerOptions,
} from "../backtest/replay-flags.ts";
import { countFlag } from "../cluster/flags.ts";
import { type HistoryFlags, historyOptions } from "../history/flags.ts";
import type { ColorMode } from "../output/style.ts";
import type { CliSeams } from "../seams.ts";
import { namedZone } from "../time-zone.ts";
import { objectiveOf } from "./objective.ts";
import { readSpaceFile } from "./read-space.ts";
import type { TuneSettings } from "./search.ts";

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
const aim = "What is searched:";
const recorded = "A recording:";
const output = "Output:";

export function tuneOptions(): readonly Option[] {
  return [
    ...[
      new Option(
        "--objective <KEY=VALUE,...>",
        "when a pod is hot: utilization=85% of its request of cpu, or hot-above=80 in the unit of the metric, what a pod had less than in 99.9% of the training days when absent; and hot=0.1%, for how much of a day it may be",
      ),
      new Option(
        "--budget <DURATION>",
        "pods that may be missing in a day, over time, such as 2m; a specification that misses no more than today's is within it, too",
      ),
      new Option("--space <FILE>", "narrows what is varied; - for the standard input"),
      new Option("--candidates <N>", "specifications of the first round, 64 to 256").default("256"),
      new Option("--seed <N>", "of what is drawn").default("1"),
      new Option("--jobs <N>", "days at a time; as many as there are processors when absent"),
      new Option("--time-zone <ZONE>", "of whole days and of schedules, such as Europe/Berlin").default(
        "UTC",
      ),
      new Option("--forecast", "print next week's floors, and how good such floors were"),
      new Option("--force", "search although the recorded autoscaler is simulated too badly"),
    ].map((option) => option.helpGroup(aim)),
    ...[
      new Option("--recording <FILE>", "a recording of an autoscaler, also gzip; - for the standard input"),
      ...recordedControllerOptions(),
      ...loadOptions(),
    ].map((option) => option.helpGroup(recorded)),
    ...historyOptions().map((option) => (option.long === "--since" ? option.default(usualHistory) : option)),
    ...[
      new Option(
        "--out <DIR>",
        "where patches, report.json and front.svg are written; tune-NAME when absent and the report is text",
      ),
      new Option("--no-out", "write no files"),
      new Option("-o, --output <FORMAT>", "how to print it").choices(outputs).default("text"),
      new Option("--color <WHEN>", "colors; NO_COLOR is respected")
        .choices(["auto", "always", "never"])
        .default("auto"),
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
