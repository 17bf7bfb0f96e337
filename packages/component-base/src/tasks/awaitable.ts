/** A value, or a promise of it. What is known already stays synchronous: a hot path pays for no promise. */
export type Awaitable<T> = T | Promise<T>;

/** Runs the next step: at once when the value is there, else when the promise resolves. */
export function chain<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
