// Looks for entries of objects that are gone in what the processes keep by object.
import type { Observation, World } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { settleMs } from "./evaluated.ts";
import { isKeyOfStored } from "./kept-keys.ts";

export interface RemainingEntries {
  /** To be called with each observation. */
  observe(observation: Observation): void;
  /** The first entry, in a sentence; undefined when there is none, or when it is too early for that. */
  find(): string | undefined;
}

export function createRemainingEntries(world: World): RemainingEntries {
  const { cluster, meters, scenario, time } = world;
  const calm = createCalm(world, { sudden: /./ });
  const untilSettledMs = settleMs(scenario.setup);
  /** When an object was deleted last: "RESOURCE NAMESPACE/NAME", and "RESOURCE NAMESPACE" for the last one of it. */
  const goneAtMs = new Map<string, number>();

  /** Pods come and go in the quiet time too: a watch shows it a while later. */
  function isJustGone(map: string, key: string): boolean {
    const resource = map.replace(/^(objects|selections)\//, "");
    return time.nowMs - (goneAtMs.get(`${resource} ${key}`) ?? 0) <= untilSettledMs;
  }

  return {
    observe(observation) {
      calm.observe(observation);
      if (observation.kind !== "written" || observation.event.type !== "DELETED") return;
      const { resource, object } = observation.event;
      const { namespace = "", name } = object.metadata;
      for (const key of [`${namespace}/${name}`, namespace]) goneAtMs.set(`${resource} ${key}`, time.nowMs);
    },
    find() {
      if (calm.forMs() <= untilSettledMs) return undefined;
      for (const [process, meter] of meters) {
        for (const [map, keys] of meter.keys()) {
          const key = keys.find((one) => !isKeyOfStored(cluster.store, map, one) && !isJustGone(map, one));
          if (key !== undefined) return `${process} keeps an entry of ${key} in ${map}, which is gone`;
        }
      }
      return undefined;
    },
  };
}
