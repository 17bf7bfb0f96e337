// A scenario: what a run is made from. Plain JSON, drawn from a seed, and what remains of it when it is shrunk.

import type { Load } from "../load/loads.ts";

export interface Scenario {
  readonly seed: number;
  /** Virtual time at the start, in milliseconds since 1970: chosen near changes of clocks now and then. */
  readonly startMs: number;
  /** Faults happen in this time; then there are none for `quietMs`, in which everything must come to rest. */
  readonly stormMs: number;
  readonly quietMs: number;
  readonly setup: Setup;
  /** In the order of their times. */
  readonly events: readonly PlannedEvent[];
}

export interface Setup {
  readonly autoscalers: number;
  readonly adapters: number;
  readonly coordination: "alone" | "leader" | "shards";
  /** Of what coordinates by shards; 4 when absent. */
  readonly shards?: number;
  /** Flags of the autoscalers beside those that coordination needs. */
  readonly flags?: readonly string[];
  /** Whether the adapters serve MetricRules and queries of WorkloadAutoscalers, and the cluster knows the kind. */
  readonly metricRules?: boolean;
  /** Objects that are created at the start: any Kubernetes object, in this order. */
  readonly objects: readonly SetupObject[];
  /** The demand on some workloads; that on all others is drawn from the seed by their names. */
  readonly loads?: readonly Load[];
}

/** How autoscalers share the objects. */
export type Coordination = Pick<Setup, "coordination" | "shards">;

/** What the simulation creates: a Kubernetes object as a user would apply it. */
export interface SetupObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** A fault, or an action of a user. */
export interface PlannedEvent {
  /** Unique in the scenario; what it draws while it runs comes from the stream of this number. */
  readonly id: number;
  /** After the start. */
  readonly atMs: number;
  /** How long it lasts; 0 for what happens at once. */
  readonly forMs: number;
  /** A key of the table of faults. */
  readonly kind: string;
  /** What the kind needs; plain JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The names of the processes of a setup, in the order in which they start. */
export function processNames({
  adapters,
  autoscalers,
}: Pick<Setup, "adapters" | "autoscalers">): readonly string[] {
  return [...numbered("adapter", adapters), ...numbered("autoscaler", autoscalers)];
}

function numbered(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
