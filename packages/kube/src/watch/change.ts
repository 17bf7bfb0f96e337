// An add, update or delete of an object in a store.

/** What became of one object. */
export interface Change<T> {
  readonly type: "added" | "modified" | "deleted";
  /** As it is now; for a deletion, its last state. */
  readonly object: T;
  /** What the store held before. */
  readonly previous?: T;
}
