// Writes a record of each decision to files, beside the evaluations: what does not keep up is lost and counted.
import { type Clock, type Logger, messageOf } from "@plimsoll/component-base";
import { encodeRecord, recordDecision } from "@plimsoll/core";
import { type RecordDirectory } from "./record-directory.ts";
import { createRecordFile, type RecordFile } from "./record-file.ts";

type Made = Parameters<typeof recordDecision>[0];

export interface RecordWriter {
  /** Only queues: encoding, compression and the disk come later. */
  add(made: Made): void;
  /** Records that are not in any file. */
  readonly lost: number;
  /** Resolves when what was added is written, or lost. */
  idle(): Promise<void>;
  /** Writes what is queued, and ends the file. */
  stop(): Promise<void>;
}

export interface RecordWriterDeps {
  readonly open: () => Promise<RecordDirectory>;
  /** Of all files together. */
  readonly maxBytes: number;
  /** In the names of files, so that processes may share a directory. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** A queue of references; a second and a half of 10,000 objects at a period of 15 s, some 10 MB at most. */
const maxQueued = 1000;
/** Encoded in one go, some 1.5 ms. */
const perSlice = 8;
const files = 16;
const flushMs = 10_000;
/** Without a disk. */
const pauseMs = 60_000;

export function createRecordWriter(deps: RecordWriterDeps): RecordWriter {
  const { clock, log, maxBytes } = deps;
  const queue: Made[] = [];
  const maxFileBytes = maxBytes / files;
  let lost = 0;
  let directory: RecordDirectory | undefined;
  let file: RecordFile | undefined;
  let cancelFlush = (): void => {};
  let count = 0;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  let running: Promise<void> | undefined;
  return {
    get lost() {
      return lost;
    },
    add(made) {
      if (isStopped || queue.length >= maxQueued || clock.nowMs() < pausedUntilMs) {
        lost++;
        return;
      }
      queue.push(made);
      running ??= run();
    },
    idle: () => running ?? Promise.resolve(),
    async stop() {
      isStopped = true;
      await running;
      await closeFile();
    },
  };

  async function run(): Promise<void> {
    // Not in the evaluation that added it.
    await nextTurn();
    while (queue.length > 0) {
      const slice = queue.splice(0, perSlice);
      try {
        await write(slice);
      } catch (error) {
        await giveUp(slice.length, error);
      }
      await nextTurn();
    }
    running = undefined;
  }

  async function write(slice: readonly Made[]): Promise<void> {
    const to = file ?? (await nextFile());
    await to.write(slice.map((made) => `${encodeRecord(recordDecision(made))}\n`).join(""));
    if (to.error !== undefined) throw to.error;
    if (to.bytes >= maxFileBytes) await closeFile();
  }

  async function nextFile(): Promise<RecordFile> {
    directory ??= await deps.open();
    await directory.keepAtMost(maxBytes - maxFileBytes);
    const time = new Date(clock.nowMs()).toISOString().replaceAll(/[-:]/g, "");
    const number = String(++count).padStart(6, "0");
    file = createRecordFile(directory.create(`decisions-${time}-${deps.name}-${number}.jsonl.gz`));
    flushLater(file);
    return file;
  }

  function flushLater(to: RecordFile): void {
    cancelFlush = clock.after(flushMs, () => {
      to.flush();
      flushLater(to);
    });
  }

  async function closeFile(): Promise<void> {
    cancelFlush();
    const closing = file;
    file = undefined;
    await closing?.close();
  }

  async function giveUp(written: number, error: unknown): Promise<void> {
    log.warn({ error: messageOf(error) }, "records of decisions cannot be written; retrying in a minute");
    lost += written + queue.length;
    queue.length = 0;
    pausedUntilMs = clock.nowMs() + pauseMs;
    await closeFile();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
