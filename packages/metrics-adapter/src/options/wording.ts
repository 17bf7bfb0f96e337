// Error messages about the command line of the adapter.
import type { Expected, FlagWording } from "@plimsoll/component-base/flags";
import { redact } from "@plimsoll/core/redact";

/** How the adapter says what is wrong with its command line, without the secrets that may be in it. */
export const wording: FlagWording = {
  unknownFlag: (flag, suggestion) => `unknown flag: ${flag}${suggestion}`,
  // It is often the rest of a credential that was not quoted.
  unknownArgument: (_, number) =>
    `unexpected argument number ${number} (not shown): put quotes around values with spaces`,
  withoutValue: (name, placeholder) => `--${name} has no value: use --${name}=<${placeholder}>`,
  invalid: (name, value, expected) =>
    `invalid value ${JSON.stringify(redact(value))} for --${name}: must be ${inWords(expected)}`,
};

function inWords(expected: Expected): string {
  switch (expected.type) {
    case "boolean":
      return "true or false";
    case "choice":
      return expected.choices.join(" or ");
    case "duration":
      return 'a duration such as "30s" or "1m30s"';
    case "integer":
      return `a whole number from ${expected.min} to ${expected.max}`;
    case "number":
      return `a number of ${expected.min} or more`;
  }
}
