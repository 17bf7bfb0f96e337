import type { PodList } from "../pods/prepare.ts";
import type { Tolerances } from "../replicas/tolerance.ts";
import type { ControllerOptions } from "../spec/options.ts";
import type { Semantics } from "../spec/semantics.ts";

/** What every metric of one evaluation shares. */
export interface MetricContext {
  readonly nowMs: number;
  readonly namespace: string;
  /** scale.spec.replicas. */
  readonly specReplicas: number;
  /** scale.status.replicas. */
  readonly statusReplicas: number;
  readonly pods: PodList;
  readonly tolerances: Tolerances;
  readonly options: ControllerOptions;
  readonly semantics: Semantics;
}
