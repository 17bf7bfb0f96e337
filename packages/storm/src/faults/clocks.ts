// Faults of clocks: the wall clock of a machine is set forward or back.
import type { FaultKind } from "../run/world.ts";
import { processNames } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";

const minStepMs = 100;
const maxStepMs = 2 * 3_600_000;

export const clockFaults: Readonly<Record<string, FaultKind>> = {
  /** Set back at the end. */
  "wall-clock": {
    draw(random, setup) {
      const [first, ...rest] = processNames(setup);
      if (first === undefined) return undefined;
      const process = random.pick([first, ...rest]);
      // As long as windows and periods are, and of all lengths.
      if (random.chance(0.4)) return { process, byMs: random.between(5, 45) * 60_000 };
      const stepMs = spreadDuration(random.next(), minStepMs, maxStepMs);
      return { process, byMs: random.chance(0.5) ? stepMs : -stepMs };
    },
    maxForMs: 20 * 60_000,
    begin({ processes }, event) {
      const byMs = numberOf(event, "byMs");
      const process = processes.get(textOf(event, "process"));
      process?.stepClock(byMs);
      // The clock is that of the machine: it is set although the process was restarted meanwhile.
      return () => process?.stepClock(-byMs);
    },
  },
};
