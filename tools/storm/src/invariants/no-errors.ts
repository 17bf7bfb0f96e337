// Invariant: no program logs an error, and none leaves one unhandled.
import type { CreateInvariant } from "../run/world.ts";

/** Errors are bugs; whatever fails outside of a program is at most a warning. Users may ask for what is refused. */
export const noErrors: CreateInvariant = () => ({
  name: "no-errors",
  observe(observation) {
    if (observation.kind !== "error" || !/^(autoscaler|adapter)-/.test(observation.process)) return undefined;
    return `${observation.process} logged an error: ${observation.message}`;
  },
  end: () => true,
});
