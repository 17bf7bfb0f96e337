// An adapter logs nothing as an error: whatever Prometheus and the cluster do to it is an outcome.
import type { CreateInvariant } from "../run/world.ts";

export const servedCalmly: CreateInvariant = () => ({
  name: "served-calmly",
  observe: (observation) =>
    observation.kind === "error" && observation.process.startsWith("adapter-")
      ? `${observation.process} logged an error: ${observation.message}`
      : undefined,
});
