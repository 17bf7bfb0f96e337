// spec.tuning of a WorkloadAutoscaler: settings in place of the controller's flags.
import type { ControllerOptions } from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { Autoscaler } from "../scenario.ts";
import { scalarText } from "./section.ts";

/** What a WorkloadAutoscaler sets for itself. */
type Tuned = Pick<Autoscaler, "options" | "syncPeriodMs">;

const syncPeriod = "syncPeriodSeconds";
/** The fields that are times. */
const times = {
  cpuInitializationPeriodSeconds: "cpuInitializationPeriodMs",
  initialReadinessDelaySeconds: "initialReadinessDelayMs",
  downscaleStabilizationSeconds: "downscaleStabilizationMs",
  upscaleDelaySeconds: "upscaleForbiddenWindowMs",
  downscaleDelaySeconds: "downscaleForbiddenWindowMs",
} as const satisfies Readonly<Record<string, keyof ControllerOptions>>;
type TunedOption = "tolerance" | (typeof times)[keyof typeof times];
const timeFields = Object.entries(times);

/** The longest that the API server takes. */
const maxSeconds = 3600;

/** What the API server would refuse, with the remedy. @throws QuantityError when the tolerance is not a quantity */
export function tuningProblem(tuning: Fields): string | undefined {
  for (const field of [syncPeriod, ...Object.keys(times)]) {
    const value = tuning[field];
    const min = field === syncPeriod ? 1 : 0;
    const isTime =
      typeof value === "number" && Number.isInteger(value) && value >= min && value <= maxSeconds;
    if (value !== undefined && !isTime)
      return `spec.tuning.${field} is ${JSON.stringify(value)}: use whole seconds from ${min} to ${maxSeconds}`;
  }
  const { tolerance } = readTuning(tuning).options ?? {};
  return tolerance !== undefined && tolerance < 0
    ? `spec.tuning.tolerance is ${tolerance}: use 0 or more`
    : undefined;
}

/** @throws QuantityError when the tolerance is not a quantity */
export function readTuning(tuning: Fields, adopt?: unknown): Tuned {
  const { tolerance, [syncPeriod]: period } = tuning;
  const options: Partial<Record<TunedOption, number>> = {};
  if (tolerance !== undefined) options.tolerance = approximateFloat(parseQuantity(scalarText(tolerance)));
  for (const [field, option] of timeFields) {
    const seconds = tuning[field];
    if (typeof seconds === "number") options[option] = seconds * 1000;
  }
  return {
    options: adopt === "FromZero" ? { ...options, adoptsFromZero: true } : options,
    ...(typeof period === "number" ? { syncPeriodMs: period * 1000 } : {}),
  };
}

/** As the object has it; undefined when nothing is set. */
export function writtenTuning({ options = {}, syncPeriodMs }: Tuned): Fields | undefined {
  const tuning: Record<string, unknown> = {};
  if (syncPeriodMs !== undefined) tuning[syncPeriod] = syncPeriodMs / 1000;
  // A quantity has nine digits at most; more of them are the rounding of a double.
  if (options.tolerance !== undefined) tuning["tolerance"] = String(Number(options.tolerance.toFixed(9)));
  for (const [field, option] of timeFields) {
    const ms = options[option];
    if (ms !== undefined) tuning[field] = ms / 1000;
  }
  return Object.keys(tuning).length === 0 ? undefined : tuning;
}
