// Trims objects, and refuses those that are too large.
import { messageOf } from "@plimsoll/component-base";
import type { ItemType, UnreadItem } from "../client/list-items.ts";
import type { KubeObject } from "../objects/object.ts";
import { type LeftOut, tooLarge, unreadable } from "./left-out.ts";
import { isUnchanged } from "./replace-all.ts";
import { retainedBytes } from "./retained-bytes.ts";
import type { Store } from "./store.ts";

/** A trimmed object, and what it takes in memory. */
export interface KeptObject<T> {
  readonly object: T;
  readonly bytes: number;
}

/** An object as it is kept, or why it is not. */
export type Kept<T> = KeptObject<T> | { readonly leftOut: LeftOut };

export interface ObjectReader<T> {
  /** `bytes`: of the object on the wire, 0 when that is unknown. */
  keep(raw: object, bytes: number, type?: ItemType): Kept<T>;
  keepUnread(item: UnreadItem): Kept<T>;
}

export function createObjectReader<T extends KubeObject>({
  store,
  project,
  maxItemBytes,
  maxObjectBytes,
}: {
  readonly store: Store<T>;
  readonly project: (raw: KubeObject) => T;
  readonly maxItemBytes: number;
  readonly maxObjectBytes: number;
}): ObjectReader<T> {
  return {
    keep(raw, wireBytes, type) {
      const { metadata } = raw as { readonly metadata?: Partial<KubeObject["metadata"]> | null };
      const { namespace, name } = metadata ?? {};
      if (typeof name !== "string" || name === "") return { leftOut: unnamed(wireBytes) };
      const known = store.get(namespace, name);
      // What is known already needs no projection: a list mostly has what watches have shown.
      if (known !== undefined && isUnchanged(known, raw as KubeObject))
        return { object: known, bytes: retainedBytes(known) };
      try {
        const object = project((type === undefined ? raw : { ...type, ...raw }) as KubeObject);
        const bytes = retainedBytes(object);
        if (bytes <= maxObjectBytes) return { object, bytes };
        return { leftOut: tooLarge({ namespace, name, bytes }, maxObjectBytes) };
      } catch (error) {
        return { leftOut: unreadable({ namespace, name, bytes: wireBytes }, messageOf(error)) };
      }
    },
    keepUnread({ namespace, name, bytes, isTooLarge }) {
      const one = { namespace, name, bytes };
      return { leftOut: isTooLarge ? tooLarge(one, maxItemBytes) : unreadable(one, "it is not valid JSON") };
    },
  };
}

function unnamed(bytes: number): LeftOut {
  return unreadable({ namespace: undefined, name: undefined, bytes }, "it has no name");
}
