// What several goals of one run share: the bundled program, and whatever has to be stopped at the end.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asInImage, environmentInImage } from "../autoscaler/as-in-image.ts";

/** How the autoscaler is started, as its image starts it. */
export interface Program {
  readonly file: string;
  readonly nodeOptions: readonly string[];
  /** For `env`. */
  readonly environment: readonly string[];
}

export interface Session {
  readonly folder: string;
  /** Run at the end, the last one first. */
  readonly stops: (() => Promise<unknown>)[];
  /** As many objects, or fewer where a command is only tried; whole namespaces of 50. */
  objects(full: number): number;
  readonly scale: number;
  readonly limitMinutes: number;
  readonly profileFolder: string | undefined;
  progress(what: string): void;
  autoscaler(): Program;
  /** The same measurement is made once, whichever goals need it. */
  once<T>(name: string, measure: () => Promise<T>): Promise<T>;
  /** Stops what runs, and forgets what was measured; the session goes on. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Below 1 for a trial. */
  readonly scale: number;
  /** Of a goal; more than any takes on two idle cores. */
  readonly limitMinutes: number;
  /** Where CPU profiles of the autoscaler are left. They add to what is measured. */
  readonly profileFolder?: string | undefined;
}

export const wholeSession: SessionOptions = { scale: 1, limitMinutes: 15 };

export function openSession(options: SessionOptions = wholeSession): Session {
  const { scale, limitMinutes, profileFolder } = options;
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-goals-"));
  const stops: (() => Promise<unknown>)[] = [];
  const made = new Map<string, Promise<unknown>>();
  const startedMs = performance.now();
  let program: Program | undefined;
  const reset = async (): Promise<void> => {
    made.clear();
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  return {
    folder,
    stops,
    scale,
    limitMinutes,
    profileFolder,
    objects: (full) => (scale === 1 ? full : Math.max(1, Math.ceil((full * scale) / 50)) * 50),
    progress(what) {
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
      console.error(`${seconds.padStart(5)} s  ${what}`);
    },
    autoscaler: () => (program ??= programIn(asInImage(join(folder, "rootfs")))),
    once<T>(name: string, measure: () => Promise<T>): Promise<T> {
      const known = made.get(name) ?? measure();
      made.set(name, known);
      return known as Promise<T>;
    },
    reset,
    async close() {
      await reset();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The first line of the program says what the image gives to Node. */
function programIn(file: string): Program {
  const [first = ""] = readFileSync(file, "utf8").split("\n", 1);
  return { file, nodeOptions: first.split(" ").slice(1), environment: environmentInImage() };
}
