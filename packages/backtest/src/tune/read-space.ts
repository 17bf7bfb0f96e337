// Reads what a search may vary, as a file has it.
import { isFields, type Remark } from "@plimsoll/core/internal/values";
import { type ParameterName, parameterNames } from "./candidate.ts";
import { downPolicies, upPolicies } from "./policies.ts";
import type { TuneSpace } from "./request.ts";
import { floors } from "./space.ts";

/** The space, or all that is wrong with it. */
export type TuneSpaceRead =
  | { readonly ok: true; readonly space: TuneSpace }
  | { readonly ok: false; readonly problems: readonly Remark[] };

/**
 * A map by parameter: `today`, `{ min, max }`, or a list of values. Windows are seconds, a floor is `none` or a
 * quantile of 0.5, 0.75, 0.9 and 1.
 */
export function readTuneSpace(document: unknown): TuneSpaceRead {
  const problems = limitProblems(document);
  return problems.length === 0 ? { ok: true, space: document as TuneSpace } : { ok: false, problems };
}

const names: readonly string[] = parameterNames;
const listed: Readonly<Partial<Record<ParameterName, readonly unknown[]>>> = {
  scaleDownPolicies: Object.keys(downPolicies),
  scaleUpPolicies: Object.keys(upPolicies),
  floor: floors,
};
/** Lowest and highest value, and whether it is a whole number. */
const numbers: Readonly<
  Partial<Record<ParameterName, readonly [min: number, max: number, isWhole: boolean]>>
> = {
  target: [Number.MIN_VALUE, Number.MAX_SAFE_INTEGER, false],
  minReplicas: [1, 2 ** 31 - 1, true],
  maxReplicas: [1, 2 ** 31 - 1, true],
  scaleDownWindow: [0, 1800, true],
  scaleUpWindow: [0, 1800, true],
  toleranceDown: [0, 1, false],
  toleranceUp: [0, 1, false],
};

/** Everything that is wrong with a space. */
export function limitProblems(document: unknown): readonly Remark[] {
  if (!isFields(document)) {
    const remedy = "use a value such as target: { min: 50, max: 80 }";
    return [{ path: "", value: document, message: "is not a map of parameters", remedy }];
  }
  return Object.entries(document).flatMap(([name, limit]): readonly Remark[] => {
    if (!names.includes(name)) {
      const remedy = `use one of ${names.join(", ")}`;
      return [{ path: name, value: limit, message: "is not a parameter", remedy }];
    }
    return limitProblemsOf(name as ParameterName, limit);
  });
}

function limitProblemsOf(name: ParameterName, limit: unknown): readonly Remark[] {
  if (limit === "today") return [];
  if (Array.isArray(limit)) return limit.flatMap((value, at) => valueProblems(name, `${name}[${at}]`, value));
  const values = listed[name];
  if (!isFields(limit) || values !== undefined) {
    const list =
      values === undefined ? "{ min: 1, max: 2 }, or a list of values" : `a list of ${values.join(", ")}`;
    return [{ path: name, value: limit, message: "is not a limit", remedy: `write today, ${list}` }];
  }
  const ends = Object.entries(limit).flatMap(([end, value]) =>
    end === "min" || end === "max"
      ? valueProblems(name, `${name}.${end}`, value)
      : [{ path: `${name}.${end}`, value, message: "is not the end of a range", remedy: "use min and max" }],
  );
  const { min = -Infinity, max = Infinity } = limit as { readonly min?: number; readonly max?: number };
  if (ends.length > 0 || min <= max) return ends;
  return [{ path: `${name}.max`, value: max, message: `is below ${name}.min`, remedy: "raise it" }];
}

function valueProblems(name: ParameterName, path: string, value: unknown): readonly Remark[] {
  const values = listed[name];
  if (values !== undefined) {
    if (values.includes(value)) return [];
    return [{ path, value, message: "is not one of the values", remedy: `use one of ${values.join(", ")}` }];
  }
  const [min, max, isWhole] = numbers[name] ?? [0, Number.MAX_SAFE_INTEGER, false];
  const isNumber = typeof value === "number" && value >= min && value <= max;
  if (isNumber && (!isWhole || Number.isInteger(value))) return [];
  const kind = isWhole ? "whole number" : "number";
  const range = name === "target" ? "above 0" : `from ${min} to ${max}`;
  return [{ path, value, message: `is not a ${kind} ${range}`, remedy: "use one" }];
}
