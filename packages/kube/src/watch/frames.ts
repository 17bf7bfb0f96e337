// Splits a watch stream in protobuf into frames.
import { ConnectionError } from "../client/api-error.ts";
import { maxLineBytes } from "./lines.ts";

/** The length of a frame, big-endian, before it. */
const headBytes = 4;

/** The complete frames of a stream; what was cut off at its end is dropped. A frame is used before the next one is read. */
export async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let wantedBytes = headBytes;
  for await (const chunk of chunks) {
    rest.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    restBytes += chunk.length;
    // A frame may come in many chunks: they are joined once, when all are there.
    if (restBytes < wantedBytes) continue;
    let bytes = rest.length === 1 && rest[0] !== undefined ? rest[0] : Buffer.concat(rest, restBytes);
    wantedBytes = wantedOf(bytes);
    while (bytes.length >= headBytes && bytes.length >= wantedBytes) {
      yield bytes.subarray(headBytes, wantedBytes);
      bytes = bytes.subarray(wantedBytes);
      wantedBytes = wantedOf(bytes);
    }
    rest = [bytes];
    restBytes = bytes.length;
  }
}

/** How many bytes the first frame of these takes, its length included. */
function wantedOf(bytes: Buffer): number {
  if (bytes.length < headBytes) return headBytes;
  const length = bytes.readUInt32BE(0);
  if (length <= maxLineBytes) return headBytes + length;
  throw new ConnectionError("too_large", `a frame of a watch is longer than ${String(maxLineBytes)} bytes`);
}
