import { ConnectionError } from "../api-error.ts";

/** Objects in etcd stay below 2 MB: a line of this length is no event. */
const longestLineBytes = 32 * 1024 * 1024;

/** The complete lines of a stream; what follows the last newline was cut off and is dropped. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let parts: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      const line = Buffer.concat(parts).toString("utf8").trim();
      parts = [];
      heldBytes = 0;
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > longestLineBytes) {
      throw new ConnectionError(
        "too_large",
        `a line of a watch is longer than ${String(longestLineBytes)} bytes`,
      );
    }
  }
}
