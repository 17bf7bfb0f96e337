// Reads the controller options of a vector.
import type { ControllerOptions, SemanticsProfile } from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import { fieldOf, optionalNumber, readObject } from "./read.ts";

const fields = [
  "tolerance",
  "cpuInitializationPeriodSeconds",
  "initialReadinessDelaySeconds",
  "downscaleStabilizationSeconds",
  "scaleToZero",
];

/** The `options` of a case, in the core's units. */
export function readOptions(vector: Fields, semantics: SemanticsProfile): Partial<ControllerOptions> {
  const given = fieldOf(vector, "options");
  if (given === undefined) return { semantics };
  const options = readObject(given, "options", fields);
  const ms = (key: string) => {
    const seconds = optionalNumber(options, key, "options");
    return seconds === undefined ? undefined : seconds * 1000;
  };
  return withoutUndefined({
    semantics,
    tolerance: optionalNumber(options, "tolerance", "options"),
    cpuInitializationPeriodMs: ms("cpuInitializationPeriodSeconds"),
    initialReadinessDelayMs: ms("initialReadinessDelaySeconds"),
    downscaleStabilizationMs: ms("downscaleStabilizationSeconds"),
    scaleToZero: fieldOf(options, "scaleToZero") as boolean | undefined,
  });
}

function withoutUndefined(options: { [K in keyof ControllerOptions]?: ControllerOptions[K] | undefined }) {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Partial<ControllerOptions>;
}
