// Faults of processes: killed, stopped, paused and woken, also in the middle of a request.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { ProcessPoint, SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind } from "../run/world.ts";
import { type PlannedEvent, processNames, type Setup } from "../scenario/scenario.ts";
import { numberOf, textOf } from "./details.ts";

/** Where it happens: at once, or when the process comes to such a point for the n-th time. */
const points: readonly ["now", ...ProcessPoint[]] = ["now", "delivery", "before-send", "after-send"];

function draw(random: Random, setup: Setup): Readonly<Record<string, unknown>> | undefined {
  const [first, ...rest] = processNames(setup);
  if (first === undefined) return undefined;
  const process = random.pick([first, ...rest]);
  const point = random.pick(points);
  const order = random.pick(["timers-first", "timers-last"]);
  return { process, point, skip: random.between(0, 20), order };
}

export const processFaults: Readonly<Record<string, FaultKind>> = {
  kill: {
    draw,
    weight: 2,
    maxForMs: 5 * minuteMs,
    begin({ processes }, event) {
      const name = textOf(event, "process");
      const process = processes.get(name);
      const cancel = process === undefined ? () => {} : strike(process, event, () => process.kill());
      return () => {
        cancel();
        processes.start(name);
      };
    },
  },
  stop: {
    draw,
    maxForMs: 2 * minuteMs,
    begin({ processes }, event) {
      const name = textOf(event, "process");
      const process = processes.get(name);
      processes.stop(name);
      return () => {
        // It may still be stopping.
        process?.kill();
        processes.start(name);
      };
    },
  },
  /** All autoscalers at once, as when their Deployment is broken. */
  outage: {
    draw: () => ({}),
    weight: 0.7,
    // Long enough that jobs are missed, whatever else starts processes meanwhile.
    minForMs: 4 * minuteMs,
    maxForMs: 75 * minuteMs,
    begin({ processes }) {
      const names = processes.names.filter((name) => name.startsWith("autoscaler-"));
      const starts = names.map((name) => processes.keepDown(name));
      for (const name of names) processes.get(name)?.kill();
      return () => {
        for (const start of starts) start();
      };
    },
  },
  pause: {
    draw,
    weight: 3,
    maxForMs: 2 * minuteMs,
    begin({ processes }, event) {
      const process = processes.get(textOf(event, "process"));
      if (process === undefined) return undefined;
      const cancel = strike(process, event, () => process.pause());
      return () => {
        cancel();
        process.wake(event.details["order"] === "timers-first" ? "timers-first" : "timers-last");
      };
    },
  },
};

function strike(process: SimulatedProcess, event: PlannedEvent, run: () => void): () => void {
  const point = points.find((one) => one === event.details["point"]);
  if (point === undefined || point === "now") {
    run();
    return () => {};
  }
  let left = numberOf(event, "skip");
  let cancel = process.strikeAt(point, reached);
  function reached(): void {
    left -= 1;
    if (left < 0) run();
    else cancel = process.strikeAt(point as ProcessPoint, reached);
  }
  return () => cancel();
}
