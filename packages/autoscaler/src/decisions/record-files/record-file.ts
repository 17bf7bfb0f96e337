// One file of records: lines of JSON, compressed, whole to the last flush if the process dies.
import { once } from "node:events";
import type { Writable } from "node:stream";
import { createGzip, constants as zlib } from "node:zlib";
import { drained } from "../drained.ts";

export interface RecordFile {
  /** Compressed bytes so far, but for those that are not flushed. */
  readonly bytes: number;
  /** The first error; nothing is written after it. */
  readonly error: Error | undefined;
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
  /** What was written can be read. */
  flush(): void;
  close(): Promise<void>;
}

export function createRecordFile(to: Writable): RecordFile {
  const gzip = createGzip({ level: zlib.Z_BEST_SPEED });
  let bytes = 0;
  let error: Error | undefined;
  const fail = (reason: Error): void => {
    error ??= reason;
    gzip.destroy();
    to.destroy();
  };
  gzip.on("data", (part: Buffer) => (bytes += part.length));
  gzip.on("error", fail);
  to.on("error", fail);
  gzip.pipe(to);
  return {
    get bytes() {
      return bytes;
    },
    get error() {
      return error;
    },
    async write(text) {
      if (error !== undefined || gzip.destroyed || gzip.write(text)) return;
      await drained(gzip, gzip).catch(() => undefined);
    },
    flush() {
      if (error === undefined && !gzip.destroyed) gzip.flush(zlib.Z_SYNC_FLUSH);
    },
    async close() {
      if (error !== undefined) return;
      gzip.end();
      // Either closes it.
      if (!to.closed) await once(to, "close").catch(() => undefined);
    },
  };
}
