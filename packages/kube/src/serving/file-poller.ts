// Polls files, and reports when their contents change.
import type { Clock, Logger } from "@plimsoll/component-base";

/** Reads a file whole. */
export type ReadText = (path: string) => Promise<string>;

/** Which files, how often, and whom a change is reported to. */
export interface FilePollerOptions {
  readonly paths: readonly string[];
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly log: Logger;
  /** Called with all contents, in the order of the paths, when any of them changed. */
  readonly onChange: (contents: readonly string[]) => void;
  /** Called after each reading: with the error when the files could not be read, with undefined when they were. */
  readonly onRead?: (error: unknown) => void;
}

/** Reads files once per interval. */
export interface FilePoller {
  /** Reads once now, and then once per interval. @throws when the first reading fails. */
  start(): Promise<readonly string[]>;
  stop(): void;
}

/**
 * Polling, because a mounted Secret is a chain of symbolic links that is swapped under the path, and because a
 * certificate and its key change one after the other: what does not fit together yet is re-read.
 */
export function createFilePoller(options: FilePollerOptions): FilePoller {
  let last: readonly string[] = [];
  let cancel = (): void => {};
  let isStopped = false;

  const read = (): Promise<readonly string[]> => Promise.all(options.paths.map(options.readText));

  const poll = async (): Promise<void> => {
    try {
      const contents = await read();
      options.onRead?.(undefined);
      if (!isStopped && contents.some((text, index) => text !== last[index])) {
        last = contents;
        options.onChange(contents);
      }
    } catch (error) {
      options.onRead?.(error);
      options.log.warn(
        { err: error, paths: options.paths },
        "files could not be read again; keeping the old ones",
      );
    }
    schedule();
  };

  const schedule = (): void => {
    if (!isStopped && options.paths.length > 0) {
      cancel = options.clock.after(options.intervalMs, () => void poll());
    }
  };

  return {
    start: async () => {
      last = await read();
      schedule();
      return last;
    },
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}
