// Reads the body of a list item by item as it arrives.
import { isObject } from "@plimsoll/core/internal/values";
import { type JsonItemSplitter, JsonItemsError, splitJsonItems } from "@plimsoll/core/json-items";
import { ProtobufError, splitList } from "../../protobuf/index.ts";
import { ConnectionError } from "../api-error.ts";
import type { ItemSink, ItemType, ListItems } from "../list-items.ts";
import { parseJson } from "./body.ts";
import { namesOf, parseHead } from "./json-head.ts";

/** Of a list without its items: its type and metadata. */
const maxRestBytes = 1024 * 1024;

/** A list in parts. */
type ListReader = ReturnType<typeof jsonReader>;

/** Hands on the items, and returns the list without them. Throws ConnectionError, and what the sink throws. */
export async function readListBody(
  body: AsyncIterable<Uint8Array>,
  items: ListItems,
  { isProtobuf, what }: { readonly isProtobuf: boolean; readonly what: string },
): Promise<unknown> {
  const sink = items.begin();
  let bytes = 0;
  try {
    const reader = isProtobuf ? protobufReader(items, sink, what) : jsonReader(items, sink, what);
    let small: Buffer[] = [];
    for await (const chunk of body) {
      bytes += chunk.length;
      sink.onBytes(bytes);
      small.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (!isProtobuf && bytes <= items.wholeBytes) continue;
      for (const one of small) reader.push(one);
      small = [];
    }
    const whole = small.length === 0 ? undefined : wholeList(small);
    if (whole !== undefined) return whole;
    for (const one of small) reader.push(one);
    return reader.end();
  } catch (error) {
    if (error instanceof ProtobufError)
      throw new ConnectionError("bad_response", `${what}: ${error.message}`, error);
    if (!(error instanceof JsonItemsError)) throw error;
    const kind = error.isTooLarge ? "too_large" : "bad_response";
    throw new ConnectionError(kind, `${what}: the response is ${error.message}`, error);
  }
}

/** Undefined for what is not a list of objects: item by item, the other objects of it can be read. */
function wholeList(chunks: readonly Buffer[]): object | undefined {
  try {
    const list = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { readonly items?: unknown } | null;
    const items = list?.items;
    return Array.isArray(items) && items.every(isObject) ? (list as object) : undefined;
  } catch {
    return undefined;
  }
}

function protobufReader({ protobuf, maxItemBytes }: ListItems, sink: ItemSink, what: string): ListReader {
  if (protobuf === undefined)
    throw new ConnectionError("bad_response", `${what}: the response is protobuf, which was not accepted`);
  const { apiVersion, kind } = protobuf;
  return splitList(protobuf, {
    maxItemBytes,
    onItem: (item, bytes) => sink.onItem(item, bytes, { apiVersion, kind }),
    onOversized: ({ namespace, name }, bytes) => sink.onUnread({ namespace, name, bytes, isTooLarge: true }),
  });
}

function jsonReader({ maxItemBytes }: ListItems, sink: ItemSink, what: string) {
  let type: ItemType | undefined;
  const splitter: JsonItemSplitter = splitJsonItems({
    path: ["items"],
    maxItemBytes,
    maxRestBytes,
    onItem(bytes) {
      type ??= itemTypeOf(parseHead(splitter.soFar));
      const item = parseItem(bytes);
      if (item === undefined) sink.onUnread(unread(bytes, bytes.length, false));
      else sink.onItem(item, bytes.length, type);
    },
    onOversized: (head, bytes) => sink.onUnread(unread(head, bytes, true)),
  });
  return {
    push: splitter.push,
    /** The list without the items that were handed on. */
    end: (): unknown => parseJson(textOf(splitter.end()), what),
  };
}

function unread(head: Uint8Array, bytes: number, isTooLarge: boolean) {
  const { namespace, name } = namesOf(parseHead(head));
  return { namespace, name, bytes, isTooLarge };
}

/** Undefined when it is not an object. */
function parseItem(bytes: Uint8Array): object | undefined {
  try {
    const item = JSON.parse(textOf(bytes)) as unknown;
    return isObject(item) ? item : undefined;
  } catch {
    return undefined;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Items of a list do not say what they are, the list does. */
export function itemTypeOf(list: unknown): ItemType {
  if (typeof list !== "object" || list === null) return {};
  const { apiVersion, kind } = list as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return {
    ...(typeof apiVersion === "string" ? { apiVersion } : {}),
    ...(typeof kind === "string" && kind.endsWith("List") ? { kind: kind.slice(0, -"List".length) } : {}),
  };
}
