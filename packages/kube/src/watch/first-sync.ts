/** The first sync, for which many may wait; it happens once, or never. */
export function createFirstSync() {
  let done = () => {};
  let fail: (error: Error) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  // It is no failure when nothing waits for it.
  promise.catch(() => undefined);
  return {
    done,
    /** All that wait, now or later, fail with this error, unless it is done. */
    fail,
    /** Rejects with the reason of `signal` when that aborts first. */
    async waitForSync(signal?: AbortSignal): Promise<void> {
      if (signal === undefined) return promise;
      signal.throwIfAborted();
      let onAbort = () => {};
      const aborted = new Promise<never>((_, abort) => {
        onAbort = () => abort(signal.reason);
        signal.addEventListener("abort", onAbort);
      });
      try {
        return await Promise.race([promise, aborted]);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}
