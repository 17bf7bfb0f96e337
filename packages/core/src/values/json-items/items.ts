// Hands on the items of an array as their bytes arrive.
import { createBytes } from "./bytes.ts";
import { JsonItemsError } from "./error.ts";
import { closeArray, comma, newNesting, passSpace, passValue } from "./nesting.ts";

/** Who receives the items. */
export interface ItemReceiver {
  /** An item of more bytes is not kept. */
  readonly maxItemBytes: number;
  /**
   * The bytes of one item, maybe with white space behind it: JSON that has not been parsed. They are only good until this returns;
   * copy what you keep.
   */
  readonly onItem: (bytes: Uint8Array) => void;
  /** An item above the limit: its first bytes (at most 4096, and no more than the limit), and how many it has. */
  readonly onOversized: (head: Uint8Array, bytes: number) => void;
}

const maxHeadBytes = 4096;

/** Passes over the array's items and their commas. */
interface ItemScan {
  /** The place of the bracket that ends the array; the length of the bytes when it goes on. */
  pass(bytes: Uint8Array, from: number): number;
}

/** The scan begins behind the bracket that opens the array. */
export function createItemScan(receiver: ItemReceiver): ItemScan {
  const nesting = newNesting();
  const item = createItem(receiver);
  let isInItem = false;
  /** Whether there is a comma with no item behind it. */
  let isItemDue = false;

  function endItem(piece: Uint8Array, byte: number | undefined): void {
    if (byte !== comma && byte !== closeArray)
      throw new JsonItemsError("not JSON: the array is closed as an object");
    if (!isInItem && (byte === comma || isItemDue))
      throw new JsonItemsError("not JSON: an item of the array is missing");
    if (isInItem) item.end(piece);
    isInItem = false;
    isItemDue = byte === comma;
  }

  return {
    pass(bytes, from) {
      let at = from;
      while (at < bytes.length) {
        if (!isInItem) at = passSpace(bytes, at);
        const end = passValue(nesting, bytes, at);
        const piece = bytes.subarray(at, end);
        isInItem ||= piece.length > 0;
        if (end === bytes.length) {
          item.add(piece);
          return end;
        }
        endItem(piece, bytes[end]);
        if (bytes[end] === closeArray) return end;
        at = end + 1;
      }
      return at;
    },
  };
}

function createItem({ maxItemBytes, onItem, onOversized }: ItemReceiver) {
  const headBytes = Math.min(maxHeadBytes, maxItemBytes);
  /** What came in earlier chunks; of an item that is too large, its head. */
  const before = createBytes();
  let size = 0;

  function add(piece: Uint8Array): void {
    size += piece.length;
    if (size <= maxItemBytes) {
      before.add(piece);
      return;
    }
    const head = before.length > headBytes ? before.take().slice(0, headBytes) : undefined;
    before.add(head ?? piece.subarray(0, headBytes - before.length));
  }

  return {
    /** It goes on in the next chunk. */
    add,
    end(piece: Uint8Array): void {
      const isInOneChunk = size === 0;
      if (isInOneChunk) size = piece.length;
      else add(piece);
      const bytes = size;
      size = 0;
      const kept = isInOneChunk ? piece : before.take();
      if (bytes <= maxItemBytes) onItem(kept);
      else onOversized(kept.subarray(0, headBytes), bytes);
    },
  };
}
