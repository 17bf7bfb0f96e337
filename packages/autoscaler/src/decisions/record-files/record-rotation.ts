// The files of records, one after the other: a new one when the last is full, the oldest removed to make space.
import { once } from "node:events";
import type { Writable } from "node:stream";
import { createGzip, constants as zlib } from "node:zlib";
import type { Clock } from "@plimsoll/component-base";
import { drained } from "../drained.ts";
import type { RecordDirectory } from "./record-directory.ts";

export interface RecordRotationOptions {
  readonly open: () => Promise<RecordDirectory>;
  /** Of all files together. */
  readonly maxBytes: number;
  /** In the names of files, so that processes may share a directory. */
  readonly name: string;
  readonly clock: Clock;
}

export interface RecordRotation {
  /** Rejects when the directory or the file cannot be written. */
  write(text: string): Promise<void>;
  /** Ends the file; the next write begins another one. */
  close(): Promise<void>;
}

const filesAtMost = 16;
const flushMs = 10_000;

export function createRecordRotation(options: RecordRotationOptions): RecordRotation {
  const { clock, maxBytes, name } = options;
  const maxFileBytes = maxBytes / filesAtMost;
  let directory: RecordDirectory | undefined;
  let file: RecordFile | undefined;
  let cancelFlush = (): void => {};
  let count = 0;
  return { write, close };

  async function write(text: string): Promise<void> {
    const to = file ?? (await nextFile());
    await to.write(text);
    if (to.error !== undefined) throw to.error;
    if (to.bytes >= maxFileBytes) await close();
  }

  async function nextFile(): Promise<RecordFile> {
    directory ??= await options.open();
    await directory.keepAtMost(maxBytes - maxFileBytes);
    const time = new Date(clock.nowMs()).toISOString().replaceAll(/[-:]/g, "");
    const number = String(++count).padStart(6, "0");
    file = createRecordFile(directory.create(`decisions-${time}-${name}-${number}.jsonl.gz`));
    flushLater(file);
    return file;
  }

  function flushLater(to: RecordFile): void {
    cancelFlush = clock.after(flushMs, () => {
      to.flush();
      flushLater(to);
    });
  }

  async function close(): Promise<void> {
    cancelFlush();
    const closing = file;
    file = undefined;
    await closing?.close();
  }
}

type RecordFile = ReturnType<typeof createRecordFile>;

/** One file of records: lines of JSON, compressed, whole to the last flush if the process dies. */
function createRecordFile(to: Writable) {
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
    /** Compressed bytes so far, but for those that are not flushed. */
    get bytes() {
      return bytes;
    },
    /** The first error; nothing is written after it. */
    get error() {
      return error;
    },
    /** Resolves when more may be written. */
    async write(text: string): Promise<void> {
      if (error !== undefined || gzip.destroyed || gzip.write(text)) return;
      await drained(gzip, gzip).catch(() => undefined);
    },
    /** What was written can be read. */
    flush(): void {
      if (error === undefined && !gzip.destroyed) gzip.flush(zlib.Z_SYNC_FLUSH);
    },
    async close(): Promise<void> {
      if (error !== undefined) return;
      gzip.end();
      // Either closes it.
      if (!to.closed) await once(to, "close").catch(() => undefined);
    },
  };
}
