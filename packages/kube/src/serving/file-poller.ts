// Polls files, and reports when their contents change.
import type { Clock, Logger } from "@plimsoll/component-base";

/** Reads a file whole. */
export type ReadText = (path: string) => Promise<string>;

/** How files are followed. */
export interface FollowSeams {
  readonly readText: ReadText;
  readonly pollIntervalMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Which files, how often, and whom a change is reported to. */
export interface FilePollerOptions extends FollowSeams {
  readonly paths: readonly string[];
  /** Called with all contents, in the order of the paths, when any of them changed, and again after it threw. */
  readonly onChange: (contents: readonly string[]) => void;
  /** Called after each poll: with the error when a reading or `onChange` failed, and with undefined otherwise. */
  readonly onRead?: (error: unknown) => void;
}

/** Reads files once per interval. */
export type FilePoller = ReturnType<typeof createFilePoller>;

/**
 * Polling, because a mounted Secret is a chain of symbolic links that is swapped under the path, and because a
 * certificate and its key change one after the other: what does not fit together yet is re-read.
 */
export function createFilePoller(options: FilePollerOptions) {
  let last: readonly string[] = [];
  let cancel = (): void => {};
  let isStopped = false;
  let begun = 0;
  let newest = 0;

  const read = (): Promise<readonly string[]> => Promise.all(options.paths.map(options.readText));

  const poll = async (): Promise<void> => {
    begun += 1;
    const turn = begun;
    // Readings overlap when one is slow: what began earlier may be older.
    const isOutdated = (): boolean => turn < newest;
    try {
      const contents = await read();
      if (isOutdated()) return;
      newest = turn;
      if (!isStopped && contents.some((text, index) => text !== last[index])) {
        options.onChange(contents);
        last = contents;
      }
      options.onRead?.(undefined);
    } catch (error) {
      if (isOutdated()) return;
      options.onRead?.(error);
      options.log.warn({ err: error, paths: options.paths }, "could not reload files; keeping the old ones");
    }
    schedule();
  };

  const schedule = (): void => {
    if (!isStopped && options.paths.length > 0) {
      cancel();
      cancel = options.clock.after(options.pollIntervalMs, () => void poll());
    }
  };

  return {
    /** Reads once now, and then once per interval. @throws when the first reading fails. */
    start: async (): Promise<readonly string[]> => {
      last = await read();
      schedule();
      return last;
    },
    /** Reads now instead of at the end of the interval. Never rejects. */
    read: poll,
    stop: (): void => {
      isStopped = true;
      cancel();
    },
  };
}
