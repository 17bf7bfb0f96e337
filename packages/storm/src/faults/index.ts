// The table of faults: everything that can happen in a storm.
import type { FaultKind } from "../run/world.ts";
import { clockFaults } from "./clocks.ts";
import { compactionFaults } from "./compaction.ts";
import { editFaults } from "./edits.ts";
import { lagFaults } from "./lag.ts";
import { leaseFaults } from "./leases.ts";
import { machineFaults } from "./machines.ts";
import { podFaults } from "./pods.ts";
import { processFaults } from "./processes.ts";
import { prometheusFaults } from "./prometheus.ts";
import { requestFaults } from "./requests.ts";
import { restoreFaults } from "./restore.ts";
import { scaleStatusFaults } from "./scale-statuses.ts";
import { scaleWriteFaults } from "./scale-writes.ts";
import { userFaults } from "./users.ts";
import { watchFaults } from "./watches.ts";
import { workloadUserFaults } from "./workload-users.ts";

/** By the names that scenarios use. */
export const faults: Readonly<Record<string, FaultKind>> = {
  ...requestFaults,
  ...watchFaults,
  ...processFaults,
  ...machineFaults,
  ...prometheusFaults,
  ...clockFaults,
  ...restoreFaults,
  ...lagFaults,
  ...compactionFaults,
  ...podFaults,
  ...workloadUserFaults,
  ...userFaults,
  ...editFaults,
  ...scaleWriteFaults,
  ...scaleStatusFaults,
  ...leaseFaults,
};
