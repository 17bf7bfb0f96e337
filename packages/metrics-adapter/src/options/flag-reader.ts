import { readGoDuration } from "../go-duration.ts";
import type { Flag } from "./flag.ts";

/** Typed access to what was set; what cannot be read is noted, so that all problems come out at once. */
export interface FlagReader {
  readonly problems: string[];
  isSet(name: string): boolean;
  text(name: string): string | undefined;
  boolean(name: string): boolean;
  integer(name: string, range: { readonly min: number; readonly max: number }): number;
  durationMs(name: string): number | undefined;
  list(name: string): readonly string[];
  /** Every single value as written. */
  raw(name: string): readonly string[];
}

export function createFlagReader(
  flags: readonly Flag[],
  values: ReadonlyMap<string, readonly string[]>,
): FlagReader {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const problems: string[] = [];

  const raw = (name: string): readonly string[] => {
    const set = values.get(name);
    if (set !== undefined) {
      return set;
    }
    const fallback = byName.get(name)?.fallback ?? "";
    return fallback === "" ? [] : [fallback];
  };
  const last = (name: string): string => raw(name).at(-1) ?? "";
  const reject = (name: string, expected: string): void => {
    problems.push(`invalid value ${JSON.stringify(last(name))} for --${name}: ${expected}`);
  };

  return {
    problems,
    raw,
    isSet: (name) => values.has(name),
    text: (name) => {
      const value = last(name);
      return value === "" ? undefined : value;
    },
    boolean: (name) => {
      const value = last(name);
      if (/^(1|t|T|true|TRUE|True)$/.test(value)) {
        return true;
      }
      if (value !== "" && !/^(0|f|F|false|FALSE|False)$/.test(value)) {
        reject(name, "must be true or false");
      }
      return false;
    },
    integer: (name, { min, max }) => {
      const value = last(name);
      const number = Number(value);
      if (!/^[+-]?\d+$/.test(value) || number < min || number > max) {
        reject(name, `must be a whole number from ${min} to ${max}`);
        return min;
      }
      return number;
    },
    durationMs: (name) => {
      const value = last(name);
      if (value === "") {
        return undefined;
      }
      const durationMs = readGoDuration(value);
      if (durationMs === undefined || durationMs < 0) {
        reject(name, 'must be a duration such as "30s" or "1m30s"');
        return undefined;
      }
      return durationMs;
    },
    list: (name) =>
      raw(name)
        .flatMap((value) => value.split(","))
        .map((value) => value.trim())
        .filter((value) => value !== ""),
  };
}
