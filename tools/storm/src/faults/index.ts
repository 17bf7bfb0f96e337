// The table of faults: everything that can happen in a storm.
import type { FaultKind } from "../run/world.ts";
import { coordinationFaults } from "./coordination-changes.ts";
import { crowdFaults } from "./crowds.ts";
import { editFaults } from "./edits.ts";
import { gitOpsFaults } from "./gitops.ts";
import { lagFaults } from "./lag.ts";
import { leaseFaults } from "./leases.ts";
import { clockFaults, machineFaults } from "./machines.ts";
import { metricRuleFaults } from "./metric-rules.ts";
import { otherControllerFaults } from "./other-controllers.ts";
import { podFaults } from "./pods.ts";
import { processFaults } from "./processes.ts";
import { prometheusFaults } from "./prometheus.ts";
import { requestFaults } from "./requests.ts";
import { compactionFaults, restoreFaults } from "./restore.ts";
import { scaleStatusFaults } from "./scale-statuses.ts";
import { scaleWriteFaults } from "./scale-writes.ts";
import { unlistableFaults } from "./unlistable.ts";
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
  ...coordinationFaults,
  ...gitOpsFaults,
  ...otherControllerFaults,
  ...unlistableFaults,
  ...metricRuleFaults,
  ...crowdFaults,
};
