// Writes a record of each decision to files, beside the evaluations: what does not keep up is lost and counted.
import { type Logger, messageOf } from "@plimsoll/component-base";
import { encodeRecord, recordDecision } from "@plimsoll/core";
import { createRecordRotation, type RecordRotationOptions } from "./record-rotation.ts";

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

export interface RecordWriterDeps extends RecordRotationOptions {
  readonly log: Pick<Logger, "info" | "warn">;
}

/** A queue of references; a second and a half of 10,000 objects at a period of 15 s, some 10 MB at most. */
const maxQueued = 1000;
/** Encoded in one go, some 1.5 ms. */
const perSlice = 8;
/** Without a disk. */
const pauseMs = 60_000;

export function createRecordWriter(deps: RecordWriterDeps): RecordWriter {
  const { clock, log } = deps;
  const queue: Made[] = [];
  const files = createRecordRotation(deps);
  let lost = 0;
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
      await files.close();
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
    await files.write(slice.map((made) => `${encodeRecord(recordDecision(made))}\n`).join(""));
  }

  async function giveUp(written: number, error: unknown): Promise<void> {
    log.warn({ error: messageOf(error) }, "cannot write decision records; retrying in a minute");
    lost += written + queue.length;
    queue.length = 0;
    pausedUntilMs = clock.nowMs() + pauseMs;
    await files.close();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
