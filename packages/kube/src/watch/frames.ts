// Splits a watch stream in protobuf into frames.
import { ConnectionError } from "../client/api-error.ts";
import { headBytes, maxPieceBytes, type Piece, wrapBytes } from "./piece.ts";

/** The length of a frame, big-endian, before it. */
const lengthBytes = 4;

/** The complete frames of a stream; what was cut off at its end is dropped. A frame is used before the next one is read. */
export async function* framesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxItemBytes: number,
): AsyncGenerator<Piece, void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let wantedBytes = lengthBytes;
  /** Of a frame that is too large: what comes before the next one. */
  let skippedBytes = 0;
  for await (const chunk of chunks) {
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).subarray(skippedBytes);
    skippedBytes -= chunk.length - fresh.length;
    rest.push(fresh);
    restBytes += fresh.length;
    // A frame may come in many chunks: they are joined once, when all are there.
    if (restBytes < wantedBytes) continue;
    let bytes = rest.length === 1 && rest[0] !== undefined ? rest[0] : Buffer.concat(rest, restBytes);
    let size = sizeOf(bytes);
    while (size !== undefined) {
      const kept = size <= maxItemBytes + wrapBytes ? size : Math.min(size, headBytes);
      wantedBytes = lengthBytes + kept;
      if (bytes.length < wantedBytes) break;
      yield { bytes: bytes.subarray(lengthBytes, wantedBytes), size };
      const end = lengthBytes + size;
      skippedBytes = Math.max(0, end - bytes.length);
      bytes = bytes.subarray(end);
      size = sizeOf(bytes);
    }
    if (size === undefined) wantedBytes = lengthBytes;
    rest = [bytes];
    restBytes = bytes.length;
  }
}

/** How many bytes the first frame of these has; undefined when that has not come. */
function sizeOf(bytes: Buffer): number | undefined {
  if (bytes.length < lengthBytes) return undefined;
  const size = bytes.readUInt32BE(0);
  if (size <= maxPieceBytes) return size;
  throw new ConnectionError("too_large", `a frame of a watch is longer than ${String(maxPieceBytes)} bytes`);
}
