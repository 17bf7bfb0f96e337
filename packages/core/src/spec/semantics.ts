import type { SemanticsProfile } from "./options.ts";

/** The rules that differ between releases; docs/compatibility.md names the upstream change behind each. */
export interface Semantics {
  /** "two-sided": (1 − down) ≤ r ≤ (1 + up); "absolute": |1 − r| ≤ tolerance. */
  readonly toleranceTest: "two-sided" | "absolute";
  /** spec.behavior.*.tolerance is read. */
  readonly hasPerHpaTolerance: boolean;
  /** spec.resources of a pod comes before its containers. */
  readonly hasPodLevelRequests: boolean;
  /** A proposal of an External AverageValue metric stops at 2^31 − 1. */
  readonly saturatesExternalAverage: boolean;
  /** A proposal of an Object or External Value metric stops at 2^31 − 1. */
  readonly saturatesValue: boolean;
  /** The sum of an External Value metric stops at 2^63 − 1. */
  readonly capsExternalSum: boolean;
  /** "condition": leaving zero needs ScaledToZero=True; "min-replicas": it needs minReplicas 0. */
  readonly fromZero: "condition" | "min-replicas";
  /** An External AverageValue sum that goes below zero is taken for an overflow. */
  readonly readsNegativeSumAsOverflow: boolean;
  /**
   * A container that a ContainerResource metric names and a pod lacks: "missing" leaves the pod without a
   * sample, and without a request it is an error; "error" fails the metric, and its request is zero.
   */
  readonly absentContainer: "missing" | "error";
  /** An Object metric's status names the described object for AverageValue targets too. */
  readonly describesAverageObject: boolean;
  /** Text of a failed Object metric: what, on which object and why, or those in an odd order. */
  readonly objectErrorText: "ordered" | "jumbled";
  /** Wording of errors in label selectors. */
  readonly selectorText: "current" | "1.32";
  /** Averages of memory are printed with binary suffixes. */
  readonly printsMemoryBinary: boolean;
  /** status.observedGeneration is written. */
  readonly writesObservedGeneration: boolean;
  /** Text of the AmbiguousSelector condition. */
  readonly ambiguityText: "multiple" | "more-than-one";
  /** A wrong metric type keeps its "spec" label through the wrapping of several metrics. */
  readonly keepsSpecError: boolean;
}

const v137: Semantics = {
  toleranceTest: "two-sided",
  hasPerHpaTolerance: true,
  hasPodLevelRequests: true,
  saturatesExternalAverage: true,
  saturatesValue: true,
  capsExternalSum: true,
  fromZero: "condition",
  readsNegativeSumAsOverflow: true,
  absentContainer: "missing",
  describesAverageObject: true,
  objectErrorText: "ordered",
  selectorText: "current",
  printsMemoryBinary: true,
  writesObservedGeneration: true,
  ambiguityText: "more-than-one",
  keepsSpecError: true,
};

const v135: Semantics = {
  ...v137,
  fromZero: "min-replicas",
  writesObservedGeneration: false,
  ambiguityText: "multiple",
  objectErrorText: "jumbled",
  keepsSpecError: false,
};

const v132: Semantics = {
  ...v135,
  toleranceTest: "absolute",
  hasPerHpaTolerance: false,
  hasPodLevelRequests: false,
  saturatesExternalAverage: false,
  saturatesValue: false,
  capsExternalSum: false,
  readsNegativeSumAsOverflow: false,
  absentContainer: "error",
  selectorText: "1.32",
  describesAverageObject: false,
  printsMemoryBinary: false,
};

const profiles: ReadonlyMap<string, Semantics> = new Map([
  ["1.32", v132],
  ["1.35", v135],
  ["1.37", v137],
]);

export const profileNames: readonly string[] = [...profiles.keys()];

export function isProfile(value: unknown): boolean {
  return profiles.has(value as string);
}

/** The switches of a profile; anything unknown gives those of 1.37. */
export function semanticsOf(profile: SemanticsProfile): Semantics {
  return profiles.get(profile) ?? v137;
}
