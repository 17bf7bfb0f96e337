/**
 * A line with its control characters escaped, those that change the direction of text included: strings of files and
 * clusters must not control a terminal, nor show as what they are not.
 */
export function printable(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\x${(char.codePointAt(0) ?? 0).toString(16)}`,
  );
}
