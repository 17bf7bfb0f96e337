// Chooses where decisions come from: the autoscaler's endpoint by one of the ways, or live data.
import type { SettingOverrides } from "@plimsoll/observe";
import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterFlags } from "../cluster/flags.ts";
import { type OpenedEndpoint, openEndpoint } from "../endpoint/open.ts";
import type { WayDeps } from "../endpoint/ways.ts";
import { type CliSeams, clockOf } from "../seams.ts";
import { createEndpointSource } from "./endpoint-source.ts";
import { createRecomputingSource, type RecomputingSource } from "./recomputing-source.ts";
import type { RecordedSource } from "./source.ts";

/** What recomputes is always there; what is recorded, where an endpoint answers. */
export interface Decisions {
  readonly recomputing: RecomputingSource;
  readonly recorded: RecordedSource | undefined;
}

/** @throws CliError where a way was named and does not work. */
export async function openDecisions(
  cluster: Cluster,
  flags: ClusterFlags,
  { seams, overrides }: { readonly seams: CliSeams; readonly overrides: SettingOverrides },
): Promise<Decisions> {
  const clock = clockOf(seams);
  const recomputing = createRecomputingSource({ cluster, clock, overrides });
  const opened = await endpointFor({ cluster, flags, seams });
  if (opened.ok) {
    const { endpoint } = opened;
    return { recomputing, recorded: createEndpointSource({ endpoint, cluster, recomputing }) };
  }
  if (flags.via !== "none")
    cluster.note(`no decisions endpoint (${opened.reason}); recomputing from live data`);
  return { recomputing, recorded: undefined };
}

const endpoints = new WeakMap<Cluster, Promise<OpenedEndpoint>>();

/** The same one for as long as the cluster is open. @throws CliError where a way was named and does not work. */
export function endpointFor(deps: WayDeps): Promise<OpenedEndpoint> {
  const known = endpoints.get(deps.cluster) ?? openEndpoint(deps);
  endpoints.set(deps.cluster, known);
  return known;
}
