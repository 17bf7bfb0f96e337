// The terminal output of the demo.

/** Where the demo shows itself: redrawn in place on a terminal, printed block by block into a pipe. */
export interface Screen {
  /** Columns at this moment: a terminal may be resized. */
  readonly width: number;
  readonly color: boolean;
  /** Replaces the last picture; into a pipe, prints it when the last one is old enough. */
  picture(lines: readonly string[], atMs: number): void;
  /** A line that stays. */
  say(line: string): void;
}

export function createScreen(stream: NodeJS.WriteStream, blockEveryMs: number): Screen {
  const live = stream.isTTY;
  let drawn = 0;
  let lastBlockMs = Number.NEGATIVE_INFINITY;
  return {
    get width() {
      // Zero where a terminal does not say.
      return live ? stream.columns || 80 : 160;
    },
    color: live && stream.hasColors(),
    picture(lines, atMs) {
      if (live) {
        const up = drawn > 0 ? `\u001B[${drawn}A` : "";
        stream.write(`${up}\u001B[J${lines.join("\n")}\n`);
        drawn = lines.length;
      } else if (atMs - lastBlockMs >= blockEveryMs) {
        stream.write(`${lines.join("\n")}\n\n`);
        lastBlockMs = atMs;
      }
    },
    say(line) {
      stream.write(`${line}\n`);
      drawn = 0;
    },
  };
}
