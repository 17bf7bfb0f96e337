// The trace of a run: a line for each thing that happened, and the hash of all of them.
import { createHash } from "node:crypto";

export interface Trace {
  /** Without the line break. */
  add(line: string): void;
  readonly lines: number;
  /** The SHA-256 of the lines so far. */
  digest(): string;
}

const chunkLength = 64 * 1024;

/** `write` gets the lines in large pieces, the last one when the digest is read. */
export function createTrace(write: (text: string) => void = () => {}): Trace {
  const hash = createHash("sha256");
  let lines = 0;
  let text = "";

  function flush(): void {
    hash.update(text);
    write(text);
    text = "";
  }

  return {
    add(line) {
      lines += 1;
      text += `${line}\n`;
      if (text.length >= chunkLength) flush();
    },
    get lines() {
      return lines;
    },
    digest() {
      flush();
      return hash.copy().digest("hex");
    },
  };
}
