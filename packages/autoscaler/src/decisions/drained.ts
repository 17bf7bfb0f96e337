// Waits until a stream takes more, or another one is closed.
import { once } from "node:events";
import type { Writable } from "node:stream";
import { race } from "@plimsoll/component-base";

/** Leaves no listener behind. Rejects with an error of either. */
export async function drained(out: Writable, closing: Writable): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await race<unknown>([once(out, "drain", { signal }), once(closing, "close", { signal })]);
  } finally {
    settled.abort();
  }
}
