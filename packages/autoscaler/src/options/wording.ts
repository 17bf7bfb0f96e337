// Error messages about the command line of the autoscaler.
import type { Expected, FlagWording } from "@plimsoll/component-base/flags";

/** How the autoscaler says what is wrong with its command line: the flag, its value, what is wrong, what to do. */
export const wording: FlagWording = {
  unknownFlag: (flag, suggestion) => `${flag} is not a flag: see --help for all flags${suggestion}`,
  unknownArgument: (argument, _, isLikelyValue) =>
    isLikelyValue ? undefined : `"${argument}" is not a flag: flags start with --`,
  withoutValue: (name, placeholder) => `--${name} has no value: use --${name}=${placeholder}`,
  invalid: (name, value, expected) => problem(name, value, inWords(expected)),
};

/** @param value As written; absent when there is none. */
export function problem(name: string, value: string | undefined, reason: string): string {
  return `--${name}${value === undefined ? "" : ` "${value}"`} ${reason}`;
}

function inWords(expected: Expected): string {
  switch (expected.type) {
    case "boolean":
      return "must be true or false";
    case "choice":
      return `must be one of ${expected.choices.join(", ")}`;
    case "duration":
      return expected.isOutOfRange
        ? `is too short: use ${expected.minMs}ms or more`
        : 'is not a duration: use one such as "15s" or "1m30s"';
    case "integer":
      return `is ${expected.isOutOfRange ? "out of range" : "not a whole number"}: use ${expected.min} to ${expected.max}`;
    case "number":
      return expected.isOutOfRange
        ? `is out of range: use ${expected.min} or more`
        : 'is not a number: use a fraction such as "0.1"';
  }
}
