// Waits for the first of several promises, and leaves nothing behind at those that stay pending.

interface Waiter {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Undefined once the promise has settled: reactions are not kept then. */
const waitersOf = new WeakMap<Promise<unknown>, { waiting: Set<Waiter> | undefined }>();

/**
 * Settles like the first of these promises. `Promise.race` adds a reaction to each of them, which stays for as long as the
 * promise is pending: requests that wait for something that never comes would fill the memory.
 */
export async function race<T>(promises: readonly Promise<T>[]): Promise<T> {
  const end = (): void => {
    for (const promise of promises) waitersOf.get(promise)?.waiting?.delete(waiter);
  };
  let waiter: Waiter = { resolve: end, reject: end };
  try {
    return await new Promise<T>((resolve, reject) => {
      waiter = { resolve: (value) => resolve(value as T), reject };
      for (const promise of promises) join(promise, waiter);
    });
  } finally {
    end();
  }
}

/**
 * Settles like the first of the promises, or rejects with the reason of the signal when that aborts first. Leaves nothing
 * behind at any of them: a race among the promises would wait on.
 */
export async function orAborted<T>(
  signal: AbortSignal,
  ...promises: readonly [Promise<T>, ...Promise<T>[]]
): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
  try {
    return await race([aborted, ...promises]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function join(promise: Promise<unknown>, waiter: Waiter): void {
  const known = waitersOf.get(promise);
  const waiting = known === undefined ? watch(promise) : known.waiting;
  if (waiting === undefined) promise.then(waiter.resolve, waiter.reject);
  else waiting.add(waiter);
}

/** The one reaction of all waiters. */
function watch(promise: Promise<unknown>): Set<Waiter> {
  const waiting = new Set<Waiter>();
  const entry: { waiting: Set<Waiter> | undefined } = { waiting };
  waitersOf.set(promise, entry);
  const settle = (run: (waiter: Waiter) => void): void => {
    entry.waiting = undefined;
    for (const waiter of waiting) run(waiter);
  };
  promise.then(
    (value) => settle(({ resolve }) => resolve(value)),
    (error: unknown) => settle(({ reject }) => reject(error)),
  );
  return waiting;
}
