// Plays a run of a few events that ends as its argument says: the process hangs, is killed, throws, or ends well.
import { createCluster } from "../../src/cluster/cluster.ts";
import type { Program } from "../../src/process/processes.ts";
import { runScenario } from "../../src/run/run.ts";
import { reportAlive, reportStatus } from "../../src/supervisor/status.ts";

function hang(): never {
  for (;;);
}

const endings: Readonly<Record<string, () => void>> = {
  hang,
  kill: () => process.kill(process.pid, "SIGKILL"),
  exit: () => process.exit(70),
  well: () => {},
};

const end = endings[process.argv[2] ?? ""] ?? hang;
const stopReporting = reportAlive();
const program: Program = (one) => {
  one.clock.after(90_000, end);
  return { stop: () => Promise.resolve() };
};
const setup = { autoscalers: 1, adapters: 0, coordination: "alone", objects: [] } as const;
await runScenario(
  { seed: 7, startMs: 0, stormMs: 120_000, quietMs: 0, setup, events: [] },
  {
    createCluster,
    createPrometheus: () => ({}) as never,
    programs: () => new Map([["autoscaler-0", program]]),
    faults: {},
    invariants: [],
  },
  { report: reportStatus },
);
stopReporting();
