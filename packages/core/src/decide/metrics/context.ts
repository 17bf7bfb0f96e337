import type { ControllerOptions } from "../../objects/options.ts";
import type { Semantics } from "../../objects/semantics.ts";
import type { PodFacts } from "../pods/facts.ts";
import type { Tolerances } from "../replicas/tolerance.ts";

/** What every metric of one evaluation shares. */
export interface MetricContext {
  readonly nowMs: number;
  readonly namespace: string;
  /** scale.spec.replicas. */
  readonly specReplicas: number;
  /** scale.status.replicas. */
  readonly statusReplicas: number;
  /** The selected pods. */
  readonly pods: () => readonly PodFacts[];
  readonly tolerances: Tolerances;
  readonly options: ControllerOptions;
  readonly semantics: Semantics;
}
