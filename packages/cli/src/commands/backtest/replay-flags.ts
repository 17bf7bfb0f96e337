// The flags that say how the controller of a recording decides; the recording does not say it itself.
import type { ControllerOptions } from "@plimsoll/core";
import { parseGoDuration } from "@plimsoll/core/duration";
import { Option } from "commander";
import { type SettingFlags, settingOptions, settingOverrides } from "../../decisions/settings-flags.ts";
import { CliError } from "../../seams.ts";

/** As commander reads them. */
export interface RecordedControllerFlags extends SettingFlags {
  readonly cacheAge: string;
  readonly syncPeriod: string;
}

/** How a recording is replayed. */
export interface RecordedController {
  readonly periodMs: number;
  readonly cacheAgeMs: number;
  /** How its controller is configured, and by which rules it decides, where that is not the default. */
  readonly settings: Partial<ControllerOptions>;
}

export function recordedControllerOptions(): readonly Option[] {
  return [
    new Option(
      "--sync-period <DURATION>",
      "sync period of the controller; two changes within it count as one",
    ).default("15s"),
    new Option("--cache-age <DURATION>", "how old a cached response of its metrics API may be").default(
      "15s",
    ),
    ...settingOptions(["--sync-period"]),
  ];
}

/** @throws CliError */
export function readRecordedController(flags: RecordedControllerFlags): RecordedController {
  const periodMs = periodFlag(flags.syncPeriod);
  const { syncPeriodMs: _, ...settings } = settingOverrides(flags);
  return { periodMs, cacheAgeMs: ageFlag(flags.cacheAge), settings };
}

function ageFlag(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 0 && ms <= 300_000) return ms;
  throw new CliError(`--cache-age ${text} is not a duration from 0s to 5m: use a value such as 15s`);
}

function periodFlag(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 1000 && ms <= 3_600_000) return ms;
  throw new CliError(`--sync-period ${text} is not a duration from 1s to 1h: use a value such as 15s`);
}
