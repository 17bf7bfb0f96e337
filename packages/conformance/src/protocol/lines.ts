// Splits the output of an implementation into lines, each of a limited length.

/** Answers have some kilobytes; the largest vectors some hundred. */
const maxLineBytes = 64 * 1024 * 1024;

/** The lines of a stream, without their ends; the last one may have no end. Throws Error when one is too long. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = () => {
    const line = Buffer.concat(parts).toString("utf8");
    parts = [];
    bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > maxLineBytes)
      throw new Error(`a line of the implementation is longer than ${String(maxLineBytes)} bytes`);
  }
  if (bytes > 0) yield take();
}
