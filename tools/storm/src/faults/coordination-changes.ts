// Rolling updates that change how the autoscalers share the objects: another number of shards, or a leader, and back.
import { minuteMs } from "@plimsoll/core/internal/values";
import { configOf } from "../autoscaler/flags.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import { type Coordination, type PlannedEvent, processNames, type Setup } from "../scenario/scenario.ts";
import { numberOf, spreadDuration } from "./details.ts";

const choices: readonly [Coordination, ...Coordination[]] = [
  { coordination: "leader" },
  { coordination: "shards", shards: 1 },
  { coordination: "shards", shards: 2 },
  { coordination: "shards", shards: 4 },
  { coordination: "shards", shards: 8 },
];

function autoscalersOf(setup: Setup): readonly string[] {
  return processNames({ ...setup, adapters: 0 });
}

/** As the process runs now; as the setup says while it is down. */
function coordinationOf(world: World, name: string): Coordination {
  const { coordination } = configOf(world, name);
  return coordination.mode === "shards"
    ? { coordination: "shards", shards: coordination.shards }
    : { coordination: coordination.mode };
}

/** Replaces one process after the other, so that both versions are there meanwhile. Returns what ends it. */
function rollOut(
  { processes, time, coordinations }: World,
  names: readonly string[],
  to: { readonly coordination: Coordination; readonly downMs: number; readonly everyMs: number },
): () => void {
  let isOver = false;
  const replace = (index: number): void => {
    const name = names[index];
    if (isOver || name === undefined) return;
    const process = processes.get(name);
    coordinations.set(name, to.coordination);
    processes.stop(name);
    time.after(to.downMs, () => {
      // It may still be stopping.
      process?.kill();
      processes.start(name);
    });
    time.after(to.downMs + to.everyMs, () => replace(index + 1));
  };
  replace(0);
  return () => void (isOver = true);
}

/** All of them at once: those that run with something else are replaced. */
function settle(world: World, names: readonly string[], to: Coordination): void {
  const { coordinations, processes } = world;
  for (const name of names) {
    coordinations.set(name, to);
    const now = coordinationOf(world, name);
    if (now.coordination === to.coordination && now.shards === to.shards) continue;
    processes.get(name)?.kill();
    processes.start(name);
  }
}

function draw(random: Random, setup: Setup): Readonly<Record<string, unknown>> | undefined {
  if (setup.coordination === "alone" || setup.autoscalers < 2) return undefined;
  return {
    to: random.pick(choices),
    downMs: spreadDuration(random.next(), 200, 20_000),
    everyMs: spreadDuration(random.next(), 1000, minuteMs),
    isRolledBack: random.chance(0.6),
    /** Also in the middle of the update. */
    rollBackAt: random.next(),
  };
}

export const coordinationKind = "coordination-changed";

export const coordinationFaults: Readonly<Record<string, FaultKind>> = {
  [coordinationKind]: {
    draw,
    weight: 1.5,
    minForMs: minuteMs,
    maxForMs: 20 * minuteMs,
    begin(world, event: PlannedEvent) {
      const names = autoscalersOf(world.scenario.setup);
      const [first = ""] = names;
      const before = world.coordinations.get(first) ?? coordinationOf(world, first);
      const to = event.details["to"] as Coordination;
      const pace = { downMs: numberOf(event, "downMs"), everyMs: numberOf(event, "everyMs") };
      const isRolledBack = event.details["isRolledBack"] === true;
      let stop = rollOut(world, names, { coordination: to, ...pace });
      let isOver = false;
      if (isRolledBack)
        world.time.after(event.forMs * numberOf(event, "rollBackAt"), () => {
          if (isOver) return;
          stop();
          stop = rollOut(world, names, { coordination: before, ...pace });
        });
      return () => {
        isOver = true;
        stop();
        settle(world, names, isRolledBack ? before : to);
      };
    },
  },
};
