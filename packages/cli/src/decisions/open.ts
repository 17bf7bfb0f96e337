// Chooses where decisions come from: the autoscaler's endpoint by one of the ways, or live data.
import type { SettingOverrides } from "@plimsoll/observe";
import { clockOf } from "../clock-of.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterFlags } from "../cluster/flags.ts";
import type { CliSeams } from "../seams.ts";
import { createRecomputingSource, type RecomputingSource } from "./recomputing-source.ts";
import type { DecisionSource } from "./source.ts";

/** What recomputes is always there; what is recorded, where an endpoint answers. */
export interface Decisions {
  readonly recomputing: RecomputingSource;
  readonly recorded: DecisionSource | undefined;
}

export function openDecisions(
  cluster: Cluster,
  _flags: ClusterFlags,
  { seams, overrides }: { readonly seams: CliSeams; readonly overrides: SettingOverrides },
): Promise<Decisions> {
  const clock = clockOf(seams);
  const recomputing = createRecomputingSource({ cluster, clock, overrides });
  return Promise.resolve({ recomputing, recorded: undefined });
}
