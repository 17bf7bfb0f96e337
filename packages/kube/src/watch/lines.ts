// Splits a watch stream into lines.
import { ConnectionError } from "../client/api-error.ts";

/** Objects in etcd stay below 2 MB: a line of this length is no event. */
export const maxLineBytes = 32 * 1024 * 1024;

/** The complete lines of a stream; what follows the last newline was cut off and is dropped. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      const line = Buffer.concat(parts).toString("utf8").trim();
      parts = [];
      partBytes = 0;
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    partBytes += chunk.length - start;
    if (partBytes > maxLineBytes) {
      throw new ConnectionError(
        "too_large",
        `a line of a watch is longer than ${String(maxLineBytes)} bytes`,
      );
    }
  }
}
