import { constants, fstatSync, openSync } from "node:fs";
import sonic from "sonic-boom";

/** Where a process writes its log. A full disk or a blocked reader costs lines, and never blocks the process. */
export type LogOutput = ReturnType<typeof createLogOutput>;

/** A few thousand lines. */
const maxWaitingBytes = 1024 * 1024;
const flushMs = 1000;

/** `fd`: standard output when absent. */
export function createLogOutput(fd = 1) {
  let lost = 0;
  let isIdle = true;
  const stream = new sonic.SonicBoom({ fd: unblocked(fd), sync: false, maxLength: maxWaitingBytes });
  stream.on("drop", () => {
    lost += 1;
  });
  // What could not be written is retried with the next line.
  stream.on("error", () => undefined);
  stream.on("drain", () => {
    isIdle = true;
  });

  return {
    write(line: string): void {
      isIdle = false;
      stream.write(line);
    },
    /** Lines lost so far. */
    get lost() {
      return lost;
    },
    /** Resolves when all is written, or when the time is over. */
    async flush(withinMs: number = flushMs): Promise<void> {
      if (isIdle) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        stream.once("drain", () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/**
 * The same pipe, opened once more for writes that return immediately: a thread that waits in a write would delay the
 * end of the process. Other writers of the pipe are not affected.
 */
function unblocked(fd: number): number {
  if (!fstatSync(fd).isFIFO()) return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
