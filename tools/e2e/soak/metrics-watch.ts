// Reads /metrics of every process again and again.
import { readScrape, type Scrape } from "./exposition.ts";
import type { SoakProcess } from "./processes.ts";
import type { SoakStack } from "./stack.ts";

const everyMs = 500;

export interface MetricsWatch {
  /** The last scrape of each process, by its name. */
  of(process: string): Scrape | undefined;
  stop(): Promise<void>;
}

/** Each process has requests of its own: one that hangs does not hide the others. */
export function watchMetrics(
  stack: SoakStack,
  report: {
    readonly read: (process: string, scrape: Scrape, tookMs: number) => void;
    readonly failed: (finding: string) => void;
  },
): MetricsWatch {
  const scrapes = new Map<string, Scrape>();
  const busy = new Map<string, Promise<void>>();
  const readOne = async (process: SoakProcess): Promise<void> => {
    const startedAtMs = performance.now();
    try {
      const scrape = readScrape(await process.scrape());
      scrapes.set(process.name, scrape);
      report.read(process.name, scrape, performance.now() - startedAtMs);
    } catch (error) {
      // One that was ended meanwhile need not answer.
      if (stack.processes().includes(process))
        report.failed(`${process.name} did not serve /metrics: ${String(error)}`);
    } finally {
      busy.delete(process.name);
    }
  };
  const timer = setInterval(() => {
    for (const process of stack.processes())
      if (!busy.has(process.name)) busy.set(process.name, readOne(process));
  }, everyMs);
  return {
    of: (process) => scrapes.get(process),
    async stop() {
      clearInterval(timer);
      await Promise.all(busy.values());
    },
  };
}
