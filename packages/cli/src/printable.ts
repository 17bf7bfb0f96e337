/** A line with its control characters escaped: texts of files and clusters must not control a terminal. */
export function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (char) => `\\x${(char.codePointAt(0) ?? 0).toString(16)}`);
}
