/** A value, or a promise of it. What is known already stays synchronous: a hot path pays for no promise. */
export type Awaitable<T> = T | Promise<T>;

/** All of them: at once when each is there. */
export function allOf<T extends readonly unknown[] | []>(
  values: T,
): Awaitable<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const isKnown = (all: T): all is T & { -readonly [I in keyof T]: Awaited<T[I]> } =>
    !all.some((value) => value instanceof Promise);
  return isKnown(values) ? values : Promise.all(values);
}

/** Runs the next step: at once when the value is there, else when the promise resolves. */
export function chain<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
