// Invariant: an object is left to foreign writers only.
import type { CreateInvariant } from "../run/world.ts";

/** No part of this program, which an operator enabled, counts as a foreign writer. */
export const yieldsToForeignOnly: CreateInvariant = () => ({
  name: "yields-to-foreign-only",
  observe(observation) {
    if (observation.kind !== "logged" || observation.message !== "returned to shadow: foreign writer")
      return undefined;
    const { by, hpa } = observation.fields;
    if (typeof by !== "string" || !/^plimsoll-(cronhpa|schedules)/.test(by)) return true;
    return `${observation.process} left ${String(hpa)} to ${by}, which is a part of it`;
  },
});
