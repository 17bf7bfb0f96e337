/** The first sync, for which many may wait; it happens once, or never. */
export interface FirstSync {
  done(): void;
  /** All that wait, now or later, fail with this error, unless it is done. */
  fail(error: Error): void;
  /** Rejects with the reason of `signal` when that aborts first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
}

/** Not done yet. */
export function createFirstSync(): FirstSync {
  let done = () => {};
  let fail: (error: Error) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  // It is no failure when nothing waits for it.
  promise.catch(() => undefined);
  return {
    done: () => done(),
    fail: (error) => fail(error),
    async waitForSync(signal) {
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
