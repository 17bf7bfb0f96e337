// Polls until a condition holds.

/** Less than the limit of a test, so that what was waited for is said. */
export const longWaitMs = 100_000;

/** Calls `check` repeatedly until its result is not undefined. @throws with `what` when that takes too long, or the signal's reason. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined> | T | undefined,
  options: { readonly timeoutMs?: number; readonly everyMs?: number; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const { timeoutMs = longWaitMs, everyMs = 50 } = options;
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  while (performance.now() < deadline) {
    options.signal?.throwIfAborted();
    try {
      const result = await check();
      if (result !== undefined) return result;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause: lastError });
}
