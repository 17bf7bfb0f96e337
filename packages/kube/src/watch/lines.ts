// Splits a watch stream into lines.
import { ConnectionError } from "../client/api-error.ts";
import { headBytes, maxPieceBytes, type Piece, wrapBytes } from "./piece.ts";

/** The complete lines of a stream that are not empty; what follows the last newline was cut off and is dropped. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxItemBytes: number,
): AsyncGenerator<Piece, void, void> {
  let line = createLine(maxItemBytes + wrapBytes);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      line.add(chunk.subarray(start, end));
      const piece = line.end();
      line = createLine(maxItemBytes + wrapBytes);
      start = end + 1;
      if (!isBlank(piece)) yield piece;
    }
    line.add(chunk.subarray(start));
  }
}

function createLine(maxBytes: number) {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    add(part: Uint8Array): void {
      const isCut = size > maxBytes;
      size += part.length;
      if (size > maxPieceBytes) {
        throw new ConnectionError(
          "too_large",
          `a line of a watch is longer than ${String(maxPieceBytes)} bytes`,
        );
      }
      if (isCut) return;
      parts.push(part);
      if (size > maxBytes) parts = [Buffer.concat(parts).subarray(0, headBytes)];
    },
    end(): Piece {
      const [first] = parts;
      const bytes =
        first === undefined || parts.length > 1
          ? Buffer.concat(parts)
          : Buffer.from(first.buffer, first.byteOffset, first.byteLength);
      return { bytes, size };
    },
  };
}

function isBlank({ bytes, size }: Piece): boolean {
  return size === 0 || (size < 4 && bytes.toString("latin1").trim() === "");
}
