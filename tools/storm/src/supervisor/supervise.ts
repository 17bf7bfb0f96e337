// Supervises a process that plays runs: one that hangs is ended, and one that crashes is noticed, with the run that it played.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createLastEvents } from "./last-events.ts";
import type { Status } from "./status.ts";

/** How a supervised process ended. */
export type Ending =
  | { readonly kind: "ended"; readonly code: number }
  /** It hung, or ended in a way that is none of its own: in one sentence, with the run and its last events. */
  | { readonly kind: "failed"; readonly message: string };

export interface Supervised {
  readonly child: ChildProcess;
  readonly ending: Promise<Ending>;
}

export interface SuperviseOptions {
  readonly cwd?: string;
  /** Of Node; those of this process when absent. */
  readonly flags?: readonly string[];
  /** Of standard output and standard error. */
  readonly output: readonly ["inherit" | "ignore", "inherit" | "pipe"];
  /** The exit codes that the program ends with. */
  readonly codes: readonly number[];
  /** It hangs when its event loop has not turned for so long. */
  readonly silenceSeconds?: number;
}

/** The watchdog of the process interrupts what can be interrupted, and needs 30 seconds of CPU time for that. */
const defaultSilenceSeconds = 180;
const tickMs = 1000;

/** Starts a program of Node that reports, and is watched from its first report on. */
export function supervise(
  program: string,
  args: readonly string[],
  { cwd, flags = process.execArgv, output, codes, silenceSeconds = defaultSilenceSeconds }: SuperviseOptions,
): Supervised {
  const child = spawn(process.execPath, [...flags, program, ...args], {
    stdio: ["inherit", ...output, "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const events = createLastEvents();
  let silentTicks = Number.NEGATIVE_INFINITY;
  let isHung = false;
  const lines = createInterface({ input: child.stdio[3] as Readable });
  lines.on("line", (line) => {
    silentTicks = 0;
    events.add(JSON.parse(line) as Status);
  });
  // Counts its own ticks: a machine that slept, or both processes suspended, is no silence.
  const ticks = setInterval(() => {
    silentTicks += 1;
    if (silentTicks * tickMs < silenceSeconds * 1000) return;
    isHung = true;
    child.kill("SIGKILL");
  }, tickMs);

  async function ended(): Promise<Ending> {
    try {
      const read = once(lines, "close");
      const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
      await read;
      if (!isHung && code !== null && codes.includes(code)) return { kind: "ended", code };
      const how = isHung
        ? `did not respond for ${String(silenceSeconds)} s`
        : `ended with ${signal ?? `code ${String(code)}`}`;
      return { kind: "failed", message: `the process ${how}. ${events.text()}`.trim() };
    } finally {
      clearInterval(ticks);
    }
  }

  return { child, ending: ended() };
}
