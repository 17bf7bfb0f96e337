// A value that is made when it is first needed.

/** Calls `make` once, at the first call. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
