// The command line of the simulated autoscalers.
import { type AutoscalerConfig, compileConfig, readCommandLine } from "@plimsoll/autoscaler";
import type { Setup } from "../scenario/scenario.ts";

/** Where the leases of the autoscalers are. */
export const leaseNamespace = "kube-system";
/** The beginning of the names of all leases. */
export const leaseName = "plimsoll-autoscaler";

/** How many shards the objects have where there are shards. */
const shards = 4;

/** As it would be written for this setup. */
export function autoscalerFlags({
  coordination,
  flags = [],
}: Pick<Setup, "coordination" | "flags">): readonly string[] {
  return [
    `--leader-elect=${String(coordination !== "alone")}`,
    `--leader-elect-resource-namespace=${leaseNamespace}`,
    ...(coordination === "shards" ? [`--shards=${String(shards)}`] : []),
    ...flags,
  ];
}

/** What the autoscalers of a setup run with. */
export function autoscalerConfig(setup: Pick<Setup, "coordination" | "flags">): AutoscalerConfig {
  const compiled = compileConfig(readCommandLine(autoscalerFlags(setup)), { timeZone: "UTC" });
  if (!compiled.ok)
    throw new Error(`the flags of the autoscalers are wrong: ${compiled.problems.join("; ")}`);
  return compiled.config;
}
