// Figures of each process at regular times, life by life.
import { namespace } from "./manifests.ts";
import type { SoakProcess } from "./processes.ts";
import type { Life, SoakRecord } from "./report.ts";
import type { SoakStack } from "./stack.ts";
import type { Watcher } from "./watcher.ts";

/** Sizes of collections are taken at every so many samples: it costs some tenths of a second. */
const collectionsEvery = 3;

export interface Sampler {
  take(): Promise<void>;
  /** The lives of the processes that run. */
  current(): readonly Life[];
}

export function createSampler(
  stack: SoakStack,
  watcher: Watcher,
  { startedAtMs, record }: { readonly startedAtMs: number; readonly record: SoakRecord },
): Sampler {
  const lifeOf = ({ name }: SoakProcess): Life => {
    const last = record.lives.findLast((one) => one.process === name);
    const isLeader = stack.leader()?.name === name;
    if (last !== undefined && last.isLeader === isLeader) return last;
    const life: Life = { process: name, isLeader, samples: [] };
    record.lives.push(life);
    return life;
  };
  let turn = 0;
  const look = async ({ inspector }: SoakProcess) => ({
    ...(await inspector.look()),
    ...(turn % collectionsEvery === 0 ? { collections: await inspector.collections() } : {}),
  });
  const takeOne = async (process: SoakProcess): Promise<void> => {
    // The process stands still while it is looked at.
    const end = watcher.excuse();
    const fromMs = performance.now();
    const inside = await look(process).catch((error: unknown) => {
      // One that was ended meanwhile has no figures any more.
      if (stack.processes().includes(process) && !process.hasFallen()) throw error;
    });
    end();
    const scrape = watcher.scrapeOf(process.name);
    if (inside === undefined || scrape === undefined) return;
    lifeOf(process).samples.push({
      ...inside,
      lookMs: performance.now() - fromMs,
      atMs: performance.now() - startedAtMs,
      series: scrape.series,
      labelValues: scrape.labelValues.size,
      pods: podsOf(stack),
    });
  };
  return {
    async take() {
      for (const process of stack.processes()) await takeOne(process);
      turn += 1;
    },
    current: () => stack.processes().map(lifeOf),
  };
}

export function podsOf({ store }: SoakStack): number {
  return store.list("pods", namespace).length;
}
