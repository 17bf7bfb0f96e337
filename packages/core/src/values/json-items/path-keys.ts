// Recognizes the keys that lead to the array.
import { createBytes } from "./bytes.ts";
import { JsonItemsError } from "./error.ts";

/** A key on its way; only as much is kept as one of the path can have. */
export interface PathKeys {
  /** The next bytes, the closing quote included. */
  add(piece: Uint8Array): void;
  /** Whether the key that ended is the one of the path in this place. Throws JsonItemsError when it comes a second time. */
  end(place: number): boolean;
}

/** The longest way to write a character of ASCII, as in "\u0069". */
const maxEscapeBytes = 6;

export function createPathKeys(path: readonly string[]): PathKeys {
  const maxBytes = maxEscapeBytes * Math.max(...path.map(({ length }) => length)) + 1;
  const seen = new Set<number>();
  const kept = createBytes();
  let isTooLong = false;
  return {
    add(piece) {
      isTooLong ||= kept.length + piece.length > maxBytes;
      if (!isTooLong) kept.add(piece);
    },
    end(place) {
      const bytes = kept.take();
      const key = isTooLong ? undefined : textOf(bytes);
      isTooLong = false;
      if (key !== path[place]) return false;
      if (seen.has(place))
        throw new JsonItemsError(`the JSON document has the key ${JSON.stringify(key)} twice`);
      seen.add(place);
      return true;
    },
  };
}

/** Undefined when it is not valid. Characters outside of ASCII come out as others, also outside of it. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return JSON.parse(`"${String.fromCharCode(...bytes)}`) as string;
  } catch {
    return undefined;
  }
}
