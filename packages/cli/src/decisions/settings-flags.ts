// Flags that say how the built-in controller runs, where it cannot be read.
import { type SemanticsProfile, semanticsProfiles } from "@plimsoll/core";
import type { SettingOverrides } from "@plimsoll/observe";
import { type Command, Option } from "commander";
import { durationFlag } from "../cluster/flags.ts";
import { CliError } from "../seams.ts";

/** As commander hands them over. */
export interface SettingFlags {
  readonly tolerance?: string;
  readonly downscaleStabilization?: string;
  readonly cpuInitializationPeriod?: string;
  readonly initialReadinessDelay?: string;
  readonly syncPeriod?: string;
  readonly semantics?: SemanticsProfile;
}

const group = "Built-in controller, if its flags can't be read:";

/** Those without a flag of the same name in `without`. */
export function settingOptions(without: readonly string[] = []): readonly Option[] {
  return [
    new Option("--tolerance <NUMBER>", "tolerance of the controller"),
    new Option("--downscale-stabilization <DURATION>", "stabilization window for scaling down"),
    new Option("--cpu-initialization-period <DURATION>", "how long to ignore CPU of a new pod"),
    new Option("--initial-readiness-delay <DURATION>", "how long a new pod may take to become ready"),
    new Option("--sync-period <DURATION>", "sync period of the controller"),
    new Option("--semantics <RELEASE>", "Kubernetes release whose rules apply").choices(semanticsProfiles),
  ]
    .filter(({ long }) => !without.includes(long ?? ""))
    .map((option) => option.helpGroup(group));
}

export function addSettingFlags(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

/** @throws CliError with the flag and what is allowed. */
export function settingOverrides(flags: SettingFlags): SettingOverrides {
  const { tolerance, semantics } = flags;
  return {
    ...(tolerance === undefined ? {} : { tolerance: toleranceOf(tolerance) }),
    ...durations(flags),
    ...(semantics === undefined ? {} : { semantics }),
  };
}

function durations(flags: SettingFlags): SettingOverrides {
  const { downscaleStabilization, cpuInitializationPeriod, initialReadinessDelay, syncPeriod } = flags;
  const read = (key: keyof SettingOverrides, flag: string, value: string | undefined, minMs = 0) =>
    value === undefined ? {} : { [key]: durationFlag(flag, value, minMs) };
  return {
    ...read("downscaleStabilizationMs", "--downscale-stabilization", downscaleStabilization),
    ...read("cpuInitializationPeriodMs", "--cpu-initialization-period", cpuInitializationPeriod),
    ...read("initialReadinessDelayMs", "--initial-readiness-delay", initialReadinessDelay),
    ...read("syncPeriodMs", "--sync-period", syncPeriod, 1000),
  };
}

function toleranceOf(value: string): number {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new CliError(`--tolerance ${value} is not a number of at least 0: use a value such as 0.1`);
}
