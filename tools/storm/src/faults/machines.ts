// Machines that restart or whose wall clocks are set, and processes that are replaced in turn, as when nodes are upgraded.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import { type PlannedEvent, processNames, type Setup } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";
import { scoped } from "./requests.ts";

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

function autoscalersOf(setup: Setup): readonly string[] {
  return processNames(setup).filter((name) => name.startsWith("autoscaler-"));
}

function drawRestart(random: Random, setup: Setup): Readonly<Record<string, unknown>> {
  return {
    // All of them, as where they follow one time server.
    process: random.pick(["", "", ...autoscalersOf(setup)]),
    downMs: spreadDuration(random.next(), 500, minuteMs),
    afterMs: spreadDuration(random.next(), 5000, 5 * minuteMs),
    byMs: random.between(5, 45) * minuteMs,
  };
}

function drawRollout(random: Random): Readonly<Record<string, unknown>> {
  return {
    downMs: spreadDuration(random.next(), 200, 30_000),
    everyMs: spreadDuration(random.next(), 10_000, 2 * minuteMs),
    process: "",
    of: random.pick(["all", "leases", "leases"]),
    probability: random.pick([0.1, 0.3, 0.6]),
    requestMs: spreadDuration(random.next(), 10, 2000),
    responseMs: spreadDuration(random.next(), 100, 20_000),
  };
}

/** Replaces one of these processes after the other, over and over. Returns what ends it. */
function replaceInTurn(
  { processes, time }: Pick<World, "processes" | "time">,
  names: readonly string[],
  { downMs, everyMs }: { readonly downMs: number; readonly everyMs: number },
): () => void {
  let isOver = false;
  function replace(index: number): void {
    const name = names[index % names.length];
    if (isOver || name === undefined) return;
    const process = processes.get(name);
    processes.stop(name);
    time.after(downMs, () => {
      // It may still be stopping.
      process?.kill();
      processes.start(name);
    });
    time.after(downMs + everyMs, () => replace(index + 1));
  }
  replace(0);
  return () => void (isOver = true);
}

export const machineFaults: Readonly<Record<string, FaultKind>> = {
  /** Machines restart, and some time after that their clocks are set forward: they are wrong until the end. */
  "wall-clock-after-restart": {
    draw: drawRestart,
    minForMs: 5 * minuteMs,
    maxForMs: 30 * minuteMs,
    begin({ processes, scenario, time }, event) {
      const one = textOf(event, "process");
      const names = one === "" ? autoscalersOf(scenario.setup) : [one];
      const starts = names.map((name) => processes.keepDown(name));
      for (const name of names) processes.get(name)?.kill();
      const startAll = () => {
        for (const start of starts) start();
      };
      const byMs = numberOf(event, "byMs");
      const downMs = numberOf(event, "downMs");
      let isOver = false;
      let set: readonly { stepClock(byMs: number): void }[] = [];
      time.after(downMs, startAll);
      time.after(downMs + numberOf(event, "afterMs"), () => {
        if (isOver) return;
        set = names.flatMap((name) => processes.get(name) ?? []);
        for (const process of set) process.stepClock(byMs);
      });
      return () => {
        isOver = true;
        startAll();
        for (const process of set) process.stepClock(-byMs);
      };
    },
  },
  /** The autoscalers are replaced one after the other, over and over, while some requests and responses are late. */
  "autoscalers-rolled": {
    draw: drawRollout,
    weight: 1.5,
    minForMs: minuteMs,
    maxForMs: 10 * minuteMs,
    begin(world, event: PlannedEvent) {
      const [requestMs, responseMs] = [numberOf(event, "requestMs"), numberOf(event, "responseMs")];
      const remove = world.network.add(scoped(event, { type: "delay", requestMs, responseMs }));
      const stop = replaceInTurn(world, autoscalersOf(world.scenario.setup), {
        downMs: numberOf(event, "downMs"),
        everyMs: numberOf(event, "everyMs"),
      });
      return () => {
        stop();
        remove();
      };
    },
  },
};
