// Reads the values of flags by their kinds, and collects the problems.
import { parseGoDuration } from "@plimsoll/core/duration";
import { flagSuggestion } from "../process/flag-suggestion.ts";
import { type Flag, type FlagTable, placeholder } from "./flag.ts";
import { namesOf, type ParsedFlags } from "./parse-flags.ts";

/** What a value had to be. `isOutOfRange`: it has the form, and is too large or too small. */
export type Expected =
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly choices: readonly string[] }
  | { readonly type: "duration"; readonly minMs: number; readonly isOutOfRange: boolean }
  | { readonly type: "integer"; readonly min: number; readonly max: number; readonly isOutOfRange: boolean }
  | { readonly type: "number"; readonly min: number; readonly isOutOfRange: boolean };

/** How a program says what is wrong with its command line. */
export interface FlagWording {
  /** @param suggestion "; did you mean --x?", or nothing. */
  unknownFlag(flag: string, suggestion: string): string;
  /** An argument that belongs to no flag; undefined leaves it out. */
  unknownArgument(argument: string, number: number, isLikelyValue: boolean): string | undefined;
  withoutValue(name: string, placeholder: string): string;
  invalid(name: string, value: string, expected: Expected): string;
}

type Name<Table> = keyof Table & string;
type Choice<T> = T extends { readonly choices: readonly (infer C extends string)[] } ? C : never;

/** Typed access to what was set. What cannot be read is a problem, so that all problems are reported at once. */
export interface FlagReader<Table extends FlagTable> {
  readonly problems: string[];
  isSet(name: Name<Table>): boolean;
  /** The last value or the default; undefined for an empty one. */
  string(name: Name<Table>): string | undefined;
  /** Every single value as written. */
  strings(name: Name<Table>): readonly string[];
  /** The parts of all values between commas. */
  list(name: Name<Table>): readonly string[];
  /** In Go's spelling. */
  boolean(name: Name<Table>): boolean;
  choice<N extends Name<Table>>(name: N): Choice<Table[N]>;
  integer(name: Name<Table>, range: { readonly min: number; readonly max: number }): number;
  number(name: Name<Table>, range: { readonly min: number }): number;
  /** Undefined when there is neither a value nor a default. */
  durationMs(name: Name<Table>, range?: { readonly minMs: number }): number | undefined;
}

/** @param wording For the problems; those of the arguments themselves come first. */
export function createFlagReader<Table extends FlagTable>(
  table: Table,
  parsed: ParsedFlags,
  wording: FlagWording,
): FlagReader<Table> {
  const problems = argumentProblems(table, parsed, wording);
  const flagOf = (name: string): Flag | undefined => table[name];
  const strings = (name: string): readonly string[] => {
    const fallback = flagOf(name)?.default;
    return parsed.values.get(name) ?? (fallback === undefined ? [] : [fallback]);
  };
  const last = (name: string): string => strings(name).at(-1) ?? "";
  const refuse = (name: string, expected: Expected): void => {
    problems.push(wording.invalid(name, last(name), expected));
  };

  return {
    problems,
    strings,
    isSet: (name) => parsed.values.has(name),
    string: (name) => last(name) || undefined,
    list: (name) => strings(name).flatMap(partsOf),
    boolean(name) {
      const value = readBoolean(last(name));
      if (value === undefined) refuse(name, { type: "boolean" });
      return value ?? false;
    },
    choice(name) {
      const choices = flagOf(name)?.choices ?? [];
      const found = choices.find((candidate) => candidate === last(name));
      if (found === undefined) refuse(name, { type: "choice", choices });
      return (found ?? choices[0]) as Choice<Table[typeof name]>;
    },
    integer(name, { min, max }) {
      const number = readNumber(last(name), /^[+-]?\d+$/);
      if (number >= min && number <= max) return number;
      refuse(name, { type: "integer", min, max, isOutOfRange: !Number.isNaN(number) });
      return min;
    },
    number(name, { min }) {
      const number = readNumber(last(name), /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/);
      if (number >= min && Number.isFinite(number)) return number;
      refuse(name, { type: "number", min, isOutOfRange: !Number.isNaN(number) });
      return min;
    },
    durationMs(name, { minMs } = { minMs: 0 }) {
      if (last(name) === "" && flagOf(name)?.default === undefined) return undefined;
      const durationMs = parseGoDuration(last(name));
      if (durationMs !== undefined && durationMs >= minMs) return durationMs;
      refuse(name, { type: "duration", minMs, isOutOfRange: durationMs !== undefined });
      return undefined;
    },
  };
}

/** @upstream strconv/atob.go#ParseBool; an empty string is false. */
function readBoolean(value: string): boolean | undefined {
  if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
  return value === "" || /^(0|f|F|false|FALSE|False)$/.test(value) ? false : undefined;
}

function partsOf(value: string): readonly string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function readNumber(value: string, form: RegExp): number {
  return form.test(value) ? Number(value) : Number.NaN;
}

function argumentProblems(table: FlagTable, parsed: ParsedFlags, wording: FlagWording): string[] {
  const names = namesOf(table);
  const unknown = parsed.unknown.flatMap(({ argument, number, isLikelyValue }) => {
    if (!argument.startsWith("-")) return wording.unknownArgument(argument, number, isLikelyValue) ?? [];
    const flag = argument.split("=")[0] ?? argument;
    return wording.unknownFlag(flag, flagSuggestion(flag, names));
  });
  const withoutValue = parsed.withoutValue.map((name) => {
    const flag = table[name];
    return wording.withoutValue(name, flag === undefined ? "" : placeholder(flag).slice(1, -1));
  });
  return [...unknown, ...withoutValue];
}

/** One warning for each flag that was set and has no effect of its own, in the order of the table. */
export function flagWarnings(table: FlagTable, parsed: ParsedFlags): readonly string[] {
  return Object.entries(table).flatMap(([name, { effect }]) => {
    if (effect === undefined || !parsed.values.has(name)) return [];
    return "ignored" in effect
      ? `--${name} has no effect: ${effect.ignored}`
      : `--${name} is retired: ${effect.retired}`;
  });
}
