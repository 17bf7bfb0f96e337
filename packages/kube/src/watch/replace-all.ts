// Replaces the contents of a store after a relist.
import type { KubeObject } from "../objects/object.ts";
import type { Change } from "./change.ts";
import type { WritableStore } from "./store.ts";

/** Objects that are compared, or changes that are reported, before others get their turn. */
const sliceSize = 1000;

/** The objects of a list, by namespace and name. */
export type ListedObjects<T> = ReadonlyMap<string, ReadonlyMap<string, T>>;

interface ReplaceOptions<T> {
  readonly onChange: (change: Change<T>) => void;
  /** Resolves when everything else that is due has had its turn. */
  readonly pause: () => Promise<void>;
  /** Nothing is replaced any more after it has aborted. */
  readonly signal: AbortSignal;
}

/**
 * Makes the store hold exactly these objects, and reports how it differed, deletions first. Of a namespace, readers and listeners
 * see all that was and then all that is: there is no turn of others in between. Nothing else may write meanwhile.
 */
export async function replaceAll<T extends KubeObject>(
  store: WritableStore<T>,
  listed: ListedObjects<T>,
  options: ReplaceOptions<T>,
): Promise<void> {
  const { onChange, signal } = options;
  const slice = createSlice(options);
  for (const namespace of new Set([...store.namespaces(), ...listed.keys()])) {
    const { gone, changed } = await compare(store, listed.get(namespace) ?? new Map(), { namespace, slice });
    if (signal.aborted) return;
    const changes: Change<T>[] = [];
    for (const object of gone) {
      store.delete(namespace, object.metadata.name);
      changes.push({ type: "deleted", object, previous: object });
    }
    for (const object of changed) changes.push(...putOne(store, object));
    for (const change of changes) onChange(change);
    const pause = slice.take(gone.length + changed.length);
    if (pause !== undefined) await pause;
    if (signal.aborted) return;
  }
}

type Slice = ReturnType<typeof createSlice>;

function createSlice<T>({ pause }: Pick<ReplaceOptions<T>, "pause">) {
  let left = sliceSize;
  return {
    /** Pauses when this number more is too much for one turn. */
    take(count: number): Promise<void> | undefined {
      left -= count;
      if (left > 0) return undefined;
      left = sliceSize;
      return pause();
    },
  };
}

/** What has to be deleted and put. The very object that the store has is unchanged. */
async function compare<T extends KubeObject>(
  store: WritableStore<T>,
  listed: ReadonlyMap<string, T>,
  { namespace, slice }: { readonly namespace: string; readonly slice: Slice },
): Promise<{ readonly gone: readonly T[]; readonly changed: readonly T[] }> {
  const changed: T[] = [];
  for (const [name, object] of listed) {
    if (store.get(namespace, name) !== object) changed.push(object);
    const pause = slice.take(1);
    if (pause !== undefined) await pause;
  }
  const gone: T[] = [];
  for (const object of store.list(namespace)) {
    if (!listed.has(object.metadata.name)) gone.push(object);
    const pause = slice.take(1);
    if (pause !== undefined) await pause;
  }
  return { gone, changed };
}

/** Whether an object is the one that is known, and has not changed since. */
export function isUnchanged(
  previous: KubeObject,
  { metadata: { uid, resourceVersion } }: KubeObject,
): boolean {
  const { metadata } = previous;
  return (
    metadata.uid === uid && resourceVersion !== undefined && metadata.resourceVersion === resourceVersion
  );
}

/** Puts the object into the store; an object of the same name but another identity has been deleted in between. */
export function putOne<T extends KubeObject>(store: WritableStore<T>, object: T): Change<T>[] {
  const { namespace, name, uid } = object.metadata;
  const previous = store.get(namespace, name);
  if (previous === undefined) {
    store.set(object);
    return [{ type: "added", object }];
  }
  if (isUnchanged(previous, object)) return [];
  store.set(object);
  if (previous.metadata.uid === uid) return [{ type: "modified", object, previous }];
  return [
    { type: "deleted", object: previous, previous },
    { type: "added", object },
  ];
}
