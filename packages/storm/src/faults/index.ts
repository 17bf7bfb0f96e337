// The table of faults: everything that can happen in a storm.
import type { FaultKind } from "../run/world.ts";
import { clockFaults } from "./clocks.ts";
import { processFaults } from "./processes.ts";
import { requestFaults } from "./requests.ts";
import { watchFaults } from "./watches.ts";

/** By the names that scenarios use. */
export const faults: Readonly<Record<string, FaultKind>> = {
  ...requestFaults,
  ...watchFaults,
  ...processFaults,
  ...clockFaults,
};
