// Splits text that comes in parts into lines, with a limit for each line.
import { CliError } from "../seams.ts";

/** A line is longer than any that the reader is for. */
export class LineTooLong extends CliError {
  constructor(line: number, maxLength: number, what: string) {
    super(`line ${line} is longer than ${maxLength / mebi} MiB, too long for ${what}`);
  }
}

const mebi = 1024 * 1024;

/** Looks at each character once, however many parts a line has. `what`: "a recording", for the error. */
export function createLineSplitter(maxLength: number, what: string) {
  let parts: string[] = [];
  let length = 0;
  let ended = 0;
  const rest = (): string => {
    if (parts.length > 1) parts = [parts.join("")];
    return parts[0] ?? "";
  };
  const check = (added: number): void => {
    if (length + added > maxLength) throw new LineTooLong(ended + 1, maxLength, what);
  };
  return {
    /** The lines that the part ends, without their ends. @throws LineTooLong */
    add(part: string): readonly string[] {
      const lines: string[] = [];
      let from = 0;
      for (let end = part.indexOf("\n"); end >= 0; end = part.indexOf("\n", from)) {
        check(end - from);
        parts.push(part.slice(from, end));
        lines.push(rest());
        [parts, length, from] = [[], 0, end + 1];
        ended++;
      }
      check(part.length - from);
      if (from < part.length) parts.push(part.slice(from));
      length += part.length - from;
      return lines;
    },
    /** What no line end ends; "" when there is nothing. */
    rest,
  };
}
