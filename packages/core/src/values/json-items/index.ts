// Reads a long JSON document item by item as it arrives.
export { JsonItemsError } from "./error.ts";
export type { ItemReceiver } from "./items.ts";
export { type JsonItemSplitter, type JsonItemsOptions, splitJsonItems } from "./split.ts";
