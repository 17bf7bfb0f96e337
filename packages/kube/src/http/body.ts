import { ConnectionError } from "../api-error.ts";

/** The whole of a body as text. Throws ConnectionError "too_large" as soon as it is. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new ConnectionError("too_large", `${what}: the answer is longer than ${String(maxBytes)} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString("utf8");
}

export function parseJson(text: string, what: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConnectionError("bad_response", `${what}: the answer is not JSON: ${text.slice(0, 80)}`, error);
  }
}
