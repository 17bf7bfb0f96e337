// Refuses inputs with an invalid clock, bounds or options.
import { found, invalid, type Problem, required } from "../objects/api/validate/problem.ts";
import type { DecideInput, Decision } from "../objects/decision.ts";
import { type ControllerOptions, defaultOptions } from "../objects/options.ts";
import { isProfile, semanticsProfiles } from "../objects/semantics.ts";
import { type Fields, isAbsent } from "../values/fields.ts";
import { maxInt32 } from "../values/number/go-float.ts";
import { closeEarly, type Draft, setFalse, warn } from "./draft.ts";

/**
 * What is wrong with the clock, the bounds and the options of an input. Their defaults would be a
 * decision that was not requested, so nothing is decided. Runs in every decision: constant cost, no allocation when all is well.
 */
export function essentialProblems(input: DecideInput): readonly Problem[] {
  const { nowMs, hpa, options } = input;
  const max: unknown = hpa?.spec?.maxReplicas;
  const min: unknown = hpa?.spec?.minReplicas;
  const isWrongMin = !isCount(min) && !isAbsent(min);
  if (isNumber(nowMs) && isCount(max) && !isWrongMin && hasProperOptions(options)) return none;
  return found([
    !isNumber(nowMs) && wrong("nowMs", nowMs, "a finite number of milliseconds, such as Date.now()"),
    !isCount(max) && wrong("hpa.spec.maxReplicas", max, count),
    isWrongMin && wrong("hpa.spec.minReplicas", min, `${count}, or absent for 1`),
    optionProblems(options),
  ]);
}

const none: readonly Problem[] = [];
const count = `a whole number from 0 to ${maxInt32}`;

/** What the API can hold: a fraction below one would become a maximum of zero. */
function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxInt32;
}

/** Holds the target as it is: the condition and the event say why. */
export function refuseInput(draft: Draft, problems: readonly Problem[], hasClock: boolean): Decision {
  const message = problems.map(problemText).join("; ");
  warn(draft, "InvalidInput", message);
  const text = `the HPA was unable to compute the replica count: ${message}`;
  // A condition has a time, which only a clock can give.
  if (hasClock) setFalse(draft, "ScalingActive", "InvalidInput", text);
  return closeEarly(draft, { action: "none", error: "spec", message });
}

/** PATH: what is wrong with the value. */
export function problemText({ path, value, message }: Problem): string {
  return value === undefined ? `${path}: ${message}` : `${path}: ${shown(value)}: ${message}`;
}

/** A value that is missing, or is not what it has to be. */
export function wrong(path: string, value: unknown, wanted: string): Problem {
  return isAbsent(value) ? required(path, `must be ${wanted}`) : invalid(path, value, `must be ${wanted}`);
}

export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Option by option: a loop over the names takes several times as long, in every decision. */
function hasProperOptions(options: unknown): boolean {
  if (isAbsent(options)) return true;
  if (typeof options !== "object") return false;
  const given = options as Readonly<Partial<Record<keyof ControllerOptions, unknown>>>;
  const { scaleToZero, adoptsFromZero, semantics } = given;
  return (
    isNumberOrAbsent(given.tolerance) &&
    isNumberOrAbsent(given.cpuInitializationPeriodMs) &&
    isNumberOrAbsent(given.initialReadinessDelayMs) &&
    isNumberOrAbsent(given.downscaleStabilizationMs) &&
    isNumberOrAbsent(given.upscaleForbiddenWindowMs) &&
    isNumberOrAbsent(given.downscaleForbiddenWindowMs) &&
    [scaleToZero, adoptsFromZero].every((one) => typeof one === "boolean" || isAbsent(one)) &&
    (isAbsent(semantics) || isProfile(semantics))
  );
}

function isNumberOrAbsent(value: unknown): boolean {
  return isNumber(value) || isAbsent(value);
}

function optionProblems(options: unknown): readonly Problem[] {
  if (hasProperOptions(options)) return none;
  if (typeof options !== "object") return [wrong("options", options, "an object, or absent")];
  return Object.entries(defaultOptions).flatMap(([key, fallback]) => {
    const value = (options as Fields)[key];
    if (hasProperOptions({ [key]: value })) return [];
    const wanted = key === "semantics" ? semanticsProfiles.join(", ") : `a ${typeof fallback}`;
    return [wrong(`options.${key}`, value, `${wanted}; leave it out for the default`)];
  });
}

/** A value in a message: the value itself where it is short, and its type elsewhere. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "a list";
  return "toISOString" in value ? "a Date" : "an object";
}
