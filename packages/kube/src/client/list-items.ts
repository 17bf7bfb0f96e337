// Lists whose items are read one by one while the response arrives.
import type { KindReader, ReadObject } from "../protobuf/index.ts";

/** How the items of a list are handed on while its response arrives, in place of in the response. */
export interface ListItems {
  /** Reads the items of a server that sends protobuf; with it the request accepts protobuf and JSON. */
  readonly protobuf?: KindReader<ReadObject> | undefined;
  /** An item of more bytes is not kept. */
  readonly maxItemBytes: number;
  /** A response in JSON of no more bytes is parsed whole, and returned with its items: that takes less time. */
  readonly wholeBytes: number;
  /** A response begins. What an earlier one handed on does not count: that one failed, and was requested once more. */
  readonly begin: () => ItemSink;
}

/** Who receives the items. What these functions throw ends the request. */
export interface ItemSink {
  /** The bytes of the response until now. */
  readonly onBytes: (bytes: number) => void;
  /** An item, how many bytes it took, and what the list says that it is: items in JSON mostly do not say so. */
  readonly onItem: (item: object, bytes: number, type: ItemType) => void;
  readonly onUnread: (item: UnreadItem) => void;
}

export interface ItemType {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** An item that is above the limit, or that is not JSON. */
export interface UnreadItem {
  /** As far as the first bytes show them. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly bytes: number;
  readonly isTooLarge: boolean;
}
