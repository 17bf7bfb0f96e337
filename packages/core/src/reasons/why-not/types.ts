import type { HeldBy } from "../summary/types.ts";

/** Why a decision does not give so many replicas, and what would give them. */
export type WhyNot = WhyNotDecided | WhyNotOther;

/** The decision gives these replicas. */
export interface WhyNotDecided {
  readonly n: number;
  readonly is: "decided";
}

/** The decision gives other replicas. */
export interface WhyNotOther {
  readonly n: number;
  /** "metrics": with other values of metrics they would be decided now. "held": a step would prevent it even so. */
  readonly is: "held" | "metrics";
  readonly step: HeldBy | "metrics";
  /** What the step did, as a sentence; empty where the values say it. */
  readonly why: string;
  /** RFC 3339: the first time at which `decide` gives them, with everything else as it is. */
  readonly earliest?: string;
  /** "after": the instant itself is too early, or lies within that second. */
  readonly earliestIs?: "at" | "after";
  /** What `earliest` supposes. */
  readonly provided?: string;
  /** Values with which the metrics propose these replicas. */
  readonly values?: readonly NeededValue[];
  /** "any": one of the values is enough; "all": each metric has to be at, or below, its value. */
  readonly needs?: "any" | "all";
  /** Settings with any one of which they would be decided now. */
  readonly settings?: readonly NeededSetting[];
  readonly notes: readonly string[];
}

/** A value that a metric would have to have. */
export interface NeededValue {
  /** Position in spec.metrics. */
  readonly metric: number;
  readonly name: string;
  /** "each": the values are of one pod; absent: of all together, or percent. */
  readonly per?: "each";
  /** As it is now; "?" when it could not be read. */
  readonly now: string;
  /** The lowest value that gives the replicas: one unit less does not. */
  readonly needed: string;
  /** The highest such value, where it is another one; absent also when there is none. */
  readonly upTo?: string;
}

/** A setting that would change the decision. */
export interface NeededSetting {
  /** Path below spec, or the flag of the controller. */
  readonly field: string;
  /** An operator and a value, such as "<= 31". */
  readonly bound: string;
}
