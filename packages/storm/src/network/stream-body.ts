// The bytes of a streamed response, between the network and the code that reads them.

/** Written by the network, read once. */
export interface StreamBody {
  push(text: string): void;
  end(): void;
  /** The reader gets this error after what came before, or at once. */
  fail(error: Error, when?: "at once"): void;
  read(): AsyncGenerator<Uint8Array, void, void>;
}

/** `onClose` runs once: when it ended or failed, or when its reader leaves. */
export function createStreamBody(onClose: () => void): StreamBody {
  const texts: string[] = [];
  let failure: Error | undefined;
  let isEnded = false;
  let wake = (): void => {};

  function finish(error?: Error): void {
    if (isEnded) return;
    isEnded = true;
    failure = error;
    onClose();
    wake();
  }

  return {
    push(text) {
      if (isEnded) return;
      texts.push(text);
      wake();
    },
    end: () => finish(),
    fail(error, when) {
      if (when === "at once") texts.length = 0;
      finish(error);
    },
    async *read() {
      try {
        for (;;) {
          const text = texts.shift();
          if (text !== undefined) yield Buffer.from(text);
          else if (failure !== undefined) throw failure;
          else if (isEnded) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        finish();
      }
    },
  };
}
