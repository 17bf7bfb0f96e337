// Text as a terminal may have it.
import { cutText } from "@plimsoll/core/redact";

/**
 * A line with its control characters escaped, those that change the direction of text included: strings of files and
 * clusters must not control a terminal, nor show as what they are not, nor fill it.
 */
export function printable(line: string): string {
  return cutText(line, maxLine).replaceAll(controls, (char) => `\\x${codeOf(char).toString(16)}`);
}

/** The same of several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** Text of JSON with these characters as escapes of JSON, but for its line ends: it has the same values. */
export function printableJson(text: string): string {
  return text.replaceAll(controls, (char) =>
    char === "\n" ? char : `\\u${codeOf(char).toString(16).padStart(4, "0")}`,
  );
}

/** Longer than any line of ours; a text of an object or a file may be as long as a megabyte. */
const maxLine = 16_384;

const controls = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
