// Reports the events of a run, besides handing them to the trace and to the invariants.
import type { Observers } from "../run/observers.ts";
import type { Observation } from "../run/world.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { observationLine } from "../trace/observation-line.ts";
import type { Status } from "./status.ts";

/** Few enough to be reported one by one; requests, watches and writes are not. */
const kinds: ReadonlySet<Observation["kind"]> = new Set(["fault", "process", "decided", "logged", "error"]);
const maxLength = 300;

/** A run that begins. */
interface Run {
  readonly scenario: Pick<Scenario, "seed" | "startMs">;
  readonly time: Pick<VirtualTime, "nowMs">;
  readonly report: (status: Status) => void;
}

export function followed(observers: Observers, { scenario, time, report }: Run): Observers {
  const { seed, startMs } = scenario;
  report({ kind: "begins", seed });
  return {
    ...observers,
    record(observation) {
      if (kinds.has(observation.kind)) {
        const line = observationLine(observation).slice(0, maxLength);
        report({ kind: "happened", atMs: time.nowMs - startMs, line });
      }
      observers.record(observation);
    },
  };
}
