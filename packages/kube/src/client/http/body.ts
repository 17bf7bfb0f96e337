// Reads response bodies under a limit of bytes.
import type { Readable } from "node:stream";
import { ConnectionError } from "../api-error.ts";
import { type ResponseMemory, type ResponseShare, smallBytes } from "./response-memory.ts";

/** The whole of a body. Throws ConnectionError "too_large" as soon as it is. */
export async function readBytes(
  body: Readable,
  limits: {
    readonly maxBytes: number;
    readonly what: string;
    readonly responseMemory?: ResponseMemory | undefined;
  },
): Promise<Buffer> {
  const { maxBytes, what, responseMemory } = limits;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let share: ResponseShare | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(`the response is longer than ${String(maxBytes)} bytes`);
      chunks.push(chunk);
      if (share !== undefined) share.grow(chunk.length);
      else if (responseMemory !== undefined && size > smallBytes) {
        share = responseMemory.enter(() =>
          body.destroy(tooLarge("the largest of too many large responses at once")),
        );
        share.grow(size);
      }
    }
    return Buffer.concat(chunks, size);
  } finally {
    share?.leave();
  }

  function tooLarge(why: string): ConnectionError {
    return new ConnectionError("too_large", `${what}: ${why}`);
  }
}

/** Undefined for an empty body. Throws ConnectionError. */
export function parseJson(text: string, what: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConnectionError(
      "bad_response",
      `${what}: the response is not JSON: ${text.slice(0, 80)}`,
      error,
    );
  }
}
