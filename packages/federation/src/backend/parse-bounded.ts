// Parses a document of a backend, unless it has far more parts than documents of its length have.

/** Parts without which no text is refused, whatever its length. */
const freeParts = 2_000;
/** Rows and values of adapters have a part in 12 letters or more. */
const minLettersOfPart = 8;

/**
 * A text of two mebibytes that is nothing but empty objects takes a quarter of a second to parse, during which nothing else
 * runs; its parts are counted in a hundredth of that. Undefined: it is not JSON, or has too many parts.
 */
export function parseBounded(text: string): unknown {
  const maxParts = Math.max(freeParts, text.length / minLettersOfPart);
  if (hasMoreParts(text, maxParts)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;

/** Those within strings count too: there are few. */
function hasMoreParts(text: string, max: number): boolean {
  let parts = 0;
  for (let index = 0; index < text.length && parts <= max; index += 1) {
    const code = text.charCodeAt(index);
    if (code === comma || code === bracket || code === brace) parts += 1;
  }
  return parts > max;
}
