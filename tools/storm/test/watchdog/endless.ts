// Runs, in a process of its own, a program with an endless chain of promise jobs, and prints what that violates.
import { createCluster } from "../../src/cluster/cluster.ts";
import type { Program } from "../../src/process/processes.ts";
import { runScenario } from "../../src/run/run.ts";
import { createWatchdog } from "../../src/watchdog/watchdog.ts";

async function promiseJobs(): Promise<void> {
  for (;;) await Promise.resolve();
}

const watchdog = await createWatchdog(500);
const program: Program = (one) => {
  one.clock.after(5000, () => void promiseJobs());
  return { stop: () => Promise.resolve() };
};
const setup = { autoscalers: 1, adapters: 0, coordination: "alone", objects: [] } as const;
const { violation } = await runScenario(
  { seed: 1, startMs: 0, stormMs: 60_000, quietMs: 0, setup, events: [] },
  {
    createCluster,
    createPrometheus: () => ({}) as never,
    programs: () => new Map([["autoscaler-0", program]]),
    faults: {},
    invariants: [],
  },
  { watchdog },
);
await watchdog.stop();
process.stdout.write(JSON.stringify(violation));
