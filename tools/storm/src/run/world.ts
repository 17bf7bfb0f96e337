// What faults act on and invariants look at.
import type { Autoscaler, AutoscalerConfig } from "@plimsoll/autoscaler";
import type { EntryMeter } from "@plimsoll/component-base";
import type { DecideInput, DecideResult, HpaMemory } from "@plimsoll/core";
import type { Cluster, ClusterWrite } from "../cluster/cluster.ts";
import type { Network, RequestFault, ServerRequest } from "../network/network.ts";
import type { ProcessChange, Processes } from "../process/processes.ts";
import type { PodPage } from "../prometheus/scraper.ts";
import type { SimulatedPrometheus } from "../prometheus/simulated-prometheus.ts";
import type { Random } from "../random/random.ts";
import type { Coordination, PlannedEvent, Scenario } from "../scenario/scenario.ts";
import type { VirtualTime } from "../time/virtual-time.ts";

export interface World {
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly cluster: Cluster;
  readonly network: Network;
  readonly prometheus: SimulatedPrometheus;
  readonly processes: Processes;
  /** What runs in the processes of autoscalers, by their names; a process that was killed is not among them. */
  readonly autoscalers: Map<string, Autoscaler>;
  /** What they run with. */
  readonly configs: Map<string, AutoscalerConfig>;
  /** How a process coordinates from its next start on, where that is not as in the setup. */
  readonly coordinations: Map<string, Coordination>;
  /** What each running process, of autoscalers and adapters, keeps by object. */
  readonly meters: Map<string, EntryMeter>;
  /** What happened, to every invariant and to the trace. */
  readonly record: (observation: Observation) => void;
}

/** One thing that happened, in the order of time. */
export type Observation =
  | (ClusterWrite & { readonly kind: "written" })
  | {
      readonly kind: "decided";
      readonly process: string;
      readonly input: DecideInput;
      readonly memory: HpaMemory | undefined;
      readonly result: DecideResult;
    }
  /** A request leaves its process. */
  | {
      readonly kind: "sent";
      readonly process: string;
      readonly request: ServerRequest;
      readonly fault: RequestFault | undefined;
    }
  /** A response, right before its caller continues; without a body it is a stream, whose texts follow. */
  | {
      readonly kind: "received";
      readonly process: string;
      readonly request: ServerRequest;
      readonly code: number;
      readonly body: string | undefined;
    }
  /** Lines of a watch, right before their reader continues. */
  | {
      readonly kind: "watched";
      readonly process: string;
      readonly request: ServerRequest;
      readonly text: string;
    }
  /** A response of a metrics API, as the caller got it. */
  | {
      readonly kind: "served";
      readonly process: string;
      readonly path: string;
      readonly code: number;
      readonly body: string;
    }
  /** A response of an adapter, when it left its process. */
  | {
      readonly kind: "adapter-served";
      readonly process: string;
      readonly run: number;
      readonly url: string;
      readonly code: number;
      readonly body: string;
      readonly receivedAtMs: number;
      /** By the wall clock of the adapter. */
      readonly receivedByClockMs: number;
      /** How far that clock was set back and forth, as this run of the adapter saw it. */
      readonly setBackMs: number;
    }
  /** A process read the page of a pod; without values it got none. */
  | {
      readonly kind: "scraped";
      readonly process: string;
      readonly run: number;
      readonly pod: string;
      readonly sentAtMs: number;
      readonly endedAtMs: number;
      readonly values: PodPage | undefined;
    }
  | {
      readonly kind: "process";
      readonly process: string;
      readonly change: ProcessChange;
    }
  | { readonly kind: "fault"; readonly event: PlannedEvent; readonly change: "begins" | "ends" }
  /** A line of a process's log at level info or warn. */
  | {
      readonly kind: "logged";
      readonly process: string;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** An unhandled error, or one that a process logged. */
  | {
      readonly kind: "error";
      readonly process: string;
      readonly message: string;
      readonly isUnhandled: boolean;
    };

/** The observations of one kind. */
export type Observed<Kind extends Observation["kind"]> = Extract<Observation, { readonly kind: Kind }>;

/** What a kind of fault does: one row of the table of faults. */
export interface FaultKind {
  /** Its details, for an event that is to happen; undefined when it has nothing to act on in this setup. */
  readonly draw: (random: Random, setup: Scenario["setup"]) => Readonly<Record<string, unknown>> | undefined;
  /** Begins it; returns what ends it, for those that last. */
  readonly begin: (world: World, event: PlannedEvent) => (() => void) | undefined;
  /** How often it is drawn beside the others; 1 by default. */
  readonly weight?: number;
  /** How long it lasts at most; absent for what happens at once. */
  readonly maxForMs?: number;
  /** How long it lasts at least, unless the storm ends before. */
  readonly minForMs?: number;
}

/** A rule that holds after every observation. */
export interface Invariant {
  readonly name: string;
  /** Called with each observation. */
  readonly observe?: (observation: Observation) => Outcome;
  /** Called when the run ends, after its quiet time. */
  readonly end?: () => Outcome;
}

/** What is violated, in one sentence; true where there was something to check, and it holds; undefined where there was nothing. */
export type Outcome = string | true | undefined;

export type CreateInvariant = (world: World) => Invariant;
