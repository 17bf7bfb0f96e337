/** Something that many wait for and that happens once, or never. */
export interface Gate {
  open(): void;
  /** All who wait, or come later, fail with this error, unless it was opened before. */
  bar(error: Error): void;
  /** Rejects with the reason of `signal` when that aborts first. */
  passed(signal?: AbortSignal): Promise<void>;
}

export function createGate(): Gate {
  let open = () => {};
  let bar: (error: Error) => void = () => {};
  const gate = new Promise<void>((resolve, reject) => {
    open = resolve;
    bar = reject;
  });
  // Nobody has to wait for it.
  gate.catch(() => undefined);
  return {
    open: () => open(),
    bar: (error) => bar(error),
    async passed(signal) {
      if (signal === undefined) return gate;
      signal.throwIfAborted();
      let onAbort = () => {};
      const aborted = new Promise<never>((_, reject) => {
        onAbort = () => reject(signal.reason);
        signal.addEventListener("abort", onAbort);
      });
      try {
        return await Promise.race([gate, aborted]);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}
