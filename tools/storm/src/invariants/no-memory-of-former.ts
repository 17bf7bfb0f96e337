// Invariant: nothing of a deleted object is remembered of the one that was created in its place.
import type { CreateInvariant } from "../run/world.ts";

/** The first decision of a process on an object, by its uid, is made without what only former decisions give. */
export const noMemoryOfFormer: CreateInvariant = () => {
  const known = new Map<string, Set<string>>();
  return {
    name: "no-memory-of-former",
    observe(observation) {
      if (observation.kind === "process" && observation.change === "started")
        known.delete(observation.process);
      if (observation.kind !== "decided") return undefined;
      const { process, input, memory } = observation;
      const { namespace, name, uid = "" } = input.hpa.metadata ?? {};
      const seen = known.get(process) ?? new Set();
      known.set(process, seen);
      if (seen.has(uid)) return undefined;
      seen.add(uid);
      const { recommendations = [], lastGoodSamples = {} } = memory ?? {};
      if (recommendations.length === 0 && Object.keys(lastGoodSamples).length === 0) return true;
      return `${process} remembers of ${namespace}/${name} what was before the object of uid ${uid}`;
    },
  };
};
