// Hands each observation to the trace and to the invariants, and keeps the first violation.

import type { VirtualTime } from "../time/virtual-time.ts";
import { observationLine } from "../trace/observation-line.ts";
import type { Trace } from "../trace/trace.ts";
import type { Violation } from "./violation.ts";
import type { Invariant, Observation, Outcome } from "./world.ts";

/** Who looks at the observations of a run. */
export interface Observers {
  readonly record: (observation: Observation) => void;
  /** Adds a line of the simulation itself. */
  readonly note: (line: string) => void;
  /** Ends the run with this violation, unless there is one already. */
  readonly violate: (invariant: string, message: string) => void;
  /** Checks the invariants once more when the run is over. */
  readonly end: () => void;
  readonly violation: () => Violation | undefined;
  /** By invariant, how often there was something to check. */
  readonly checks: () => ReadonlyMap<string, number>;
}

export function createObservers(
  time: VirtualTime,
  trace: Trace,
  invariants: () => readonly Invariant[],
): Observers {
  const startMs = time.nowMs;
  let violation: Violation | undefined;
  const checks = new Map<string, number>();

  function note(line: string): void {
    trace.add(`${time.nowMs - startMs} ${line}`);
  }

  function violate(invariant: string, message: string): void {
    if (violation !== undefined) return;
    violation = { invariant, message, atMs: time.nowMs - startMs };
    note(`violation ${invariant}: ${message}`);
    time.halt();
  }

  function check(name: string, outcome: Outcome): void {
    if (outcome === undefined) return;
    checks.set(name, (checks.get(name) ?? 0) + 1);
    if (outcome !== true) violate(name, outcome);
  }

  return {
    note,
    violate,
    record(observation) {
      note(observationLine(observation));
      for (const { name, observe } of invariants()) {
        check(name, observe?.(observation));
      }
    },
    end() {
      for (const { name, end } of invariants()) {
        check(name, end?.());
      }
    },
    violation: () => violation,
    checks: () => new Map(invariants().map(({ name }) => [name, checks.get(name) ?? 0])),
  };
}
