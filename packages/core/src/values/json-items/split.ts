// Splits a JSON document into the items of one array and the rest.
import { createBytes } from "./bytes.ts";
import { JsonItemsError } from "./error.ts";
import { createItemScan, type ItemReceiver } from "./items.ts";
import { createOutsideScan } from "./outside.ts";

/** Which array, and how much is kept. */
export interface JsonItemsOptions extends ItemReceiver {
  /** The keys that lead to the array, such as `["data", "result"]`: at least one, of ASCII characters. */
  readonly path: readonly string[];
  /** Of the document without its items; more is an error. */
  readonly maxRestBytes: number;
}

/** A document on its way. Both functions throw JsonItemsError; the splitter is of no use after that. */
export interface JsonItemSplitter {
  /** What has come of the rest; in a call of the receiver, all up to the bracket that opens the array. Copy what you keep. */
  readonly soFar: Uint8Array;
  /** The next bytes of the document; nothing of them is used after this returns. */
  push(chunk: Uint8Array): void;
  /** The document with the array empty: JSON that has not been parsed. */
  end(): Uint8Array;
}

/**
 * Hands on the items of one array of a JSON document as the bytes arrive, and keeps no more than one item and the rest of the
 * document. Neither is parsed here: the document is valid JSON only if the rest and all items are. Where the path leads to
 * something other than an array, that is part of the rest. A key of the path that comes twice is an error.
 */
export function splitJsonItems(options: JsonItemsOptions): JsonItemSplitter {
  const { path, maxRestBytes } = options;
  const rest = createBytes();
  const outside = createOutsideScan(path);
  const items = createItemScan(options);

  function keep(piece: Uint8Array): void {
    if (rest.length + piece.length > maxRestBytes)
      throw new JsonItemsError(
        `the JSON document has more than ${String(maxRestBytes)} bytes outside ${path.join(".")}`,
        true,
      );
    rest.add(piece);
  }

  return {
    get soFar() {
      return rest.bytes;
    },
    push(chunk) {
      let from = 0;
      while (from < chunk.length) {
        let end: number;
        if (outside.place === "items") {
          from = items.pass(chunk, from);
          if (from === chunk.length) return;
          // The bracket that ends the array is a part of the rest.
          outside.leaveArray();
          end = from + 1;
        } else end = outside.pass(chunk, from);
        keep(chunk.subarray(from, end));
        from = end;
      }
    },
    end() {
      if (outside.place !== "end") throw new JsonItemsError("not JSON: the document ends early");
      return rest.take();
    },
  };
}
