// Hands on the items of a list one by one, as the real client does while a large response arrives.
import type { KubeRequest } from "@plimsoll/kube";
import type { ItemFault, ListedItem } from "./faults.ts";

interface List {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly items?: readonly { readonly metadata: { readonly namespace?: string; readonly name: string } }[];
}

/** The assumed bytes of an item without a fault: a usual object. */
const usualBytes = 2000;

/** Returns the list without its items. Throws what the receiver throws, where the response is too long. */
export function handOn(
  value: unknown,
  { begin, maxItemBytes }: NonNullable<KubeRequest["items"]>,
  fateOf: (item: ListedItem) => ItemFault | undefined,
): unknown {
  const { items = [], ...rest } = value as List;
  const type = typeOfItems(rest);
  const sink = begin();
  let sum = 0;
  for (const item of items ?? []) {
    const { namespace = "", name } = item.metadata;
    const { bytes, isGarbage = false } = fateOf({ namespace, name }) ?? { bytes: usualBytes };
    sum += bytes;
    sink.onBytes(sum);
    const isTooLarge = bytes > maxItemBytes;
    if (isTooLarge || isGarbage) sink.onUnread({ namespace, name, bytes, isTooLarge });
    else sink.onItem(item, bytes, type);
  }
  return rest;
}

function typeOfItems({ apiVersion, kind }: List) {
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind: kind.replace(/List$/, "") }),
  };
}
