// A response body that a test writes as its client reads.

/** Read once. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  write(text: string): void;
  /** The reader gets what was written before, then this error. */
  fail(error: Error): void;
  /** Runs once, when the reader leaves or the stream fails. */
  onClose(run: () => void): void;
}

export function createByteStream(): ByteStream {
  const chunks: Uint8Array[] = [];
  let failure: Error | undefined;
  let isClosed = false;
  let wake = (): void => {};
  let closed = (): void => {};

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    closed();
  }

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (failure !== undefined) throw failure;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      close();
    }
  }

  return {
    write(text) {
      if (isClosed) return;
      chunks.push(Buffer.from(text));
      wake();
    },
    fail(error) {
      failure ??= error;
      close();
      wake();
    },
    onClose(run) {
      closed = run;
    },
    [Symbol.asyncIterator]: read,
  };
}
