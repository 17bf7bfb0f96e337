// Long documents, written in parts: requests run between two of them.
import { setImmediate as nextTurn } from "node:timers/promises";

/** Written in a millisecond or two. */
const partLength = 256 * 1024;

/** Joins texts into parts. */
export async function* inParts(texts: Iterable<string>): AsyncGenerator<Buffer> {
  let part = "";
  for (const text of texts) {
    part += text;
    if (part.length < partLength) continue;
    yield Buffer.from(part);
    part = "";
    await nextTurn();
  }
  yield Buffer.from(part);
}

/** Before all elements of a list but the first. */
export function comma(at: number): string {
  return at === 0 ? "" : ",";
}
