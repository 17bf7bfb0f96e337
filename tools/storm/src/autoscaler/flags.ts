// The command line of the simulated autoscalers.
import { type AutoscalerConfig, compileConfig, readCommandLine } from "@plimsoll/autoscaler";
import type { World } from "../run/world.ts";
import type { Setup } from "../scenario/scenario.ts";

/** Where the leases of the autoscalers are. */
export const leaseNamespace = "kube-system";
/** The beginning of the names of all leases. */
export const leaseName = "plimsoll-autoscaler";

/** How many shards the objects have, unless the setup says it. */
export const defaultShards = 4;

type FlagsOf = Pick<Setup, "coordination" | "shards" | "flags">;

/** As it would be written for this setup. */
export function autoscalerFlags({
  coordination,
  shards = defaultShards,
  flags = [],
}: FlagsOf): readonly string[] {
  return [
    `--leader-elect=${String(coordination !== "alone")}`,
    `--leader-elect-resource-namespace=${leaseNamespace}`,
    ...(coordination === "shards" ? [`--shards=${String(shards)}`] : []),
    ...flags,
  ];
}

/** What the autoscalers of a setup run with. */
export function autoscalerConfig(setup: FlagsOf): AutoscalerConfig {
  const compiled = compileConfig(readCommandLine(autoscalerFlags(setup)), { timeZone: "UTC" });
  if (!compiled.ok)
    throw new Error(`the flags of the autoscalers are wrong: ${compiled.problems.join("; ")}`);
  return compiled.config;
}

/** What a process runs with: a change of the coordination counts from its next start on. */
export function configOf(
  { configs, scenario }: Pick<World, "configs" | "scenario">,
  process: string,
): AutoscalerConfig {
  return configs.get(process) ?? autoscalerConfig(scenario.setup);
}
