// The parts that a world is made from, so that tests can run with small ones.
import type { Cluster } from "../cluster/cluster.ts";
import type { Program } from "../process/processes.ts";
import type { SimulatedPrometheus } from "../prometheus/simulated-prometheus.ts";
import type { CreateInvariant, FaultKind, World } from "./world.ts";

/** What a part can use of the world when it is made: what was made before it. */
export type Ground = Pick<World, "scenario" | "time" | "random">;

/** How the parts of a world are made, in this order. */
export interface Parts {
  readonly createCluster: (ground: Ground) => Cluster;
  readonly createPrometheus: (ground: Ground & Pick<World, "cluster">) => SimulatedPrometheus;
  /** The programs by the names of their processes; all are started at the beginning, in this order. */
  readonly programs: (world: World) => ReadonlyMap<string, Program>;
  readonly faults: Readonly<Record<string, FaultKind>>;
  readonly invariants: readonly CreateInvariant[];
}
