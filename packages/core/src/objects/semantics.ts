import type { QuantityRules } from "../values/quantity/milli.ts";
import type { SemanticsProfile } from "./options.ts";

/** The rules that differ between releases; docs/developers/semantics.md names the upstream change behind each. */
export interface Semantics extends QuantityRules {
  /** "two-sided": (1 − down) ≤ r ≤ (1 + up); "absolute": |1 − r| ≤ tolerance. */
  readonly toleranceTest: "two-sided" | "absolute";
  /** spec.behavior.*.tolerance is read. */
  readonly hasPerHpaTolerance: boolean;
  /** spec.resources of a pod comes before its containers. */
  readonly hasPodLevelRequests: boolean;
  /**
   * Which counts stop at the ends of an int32 instead of wrapping: none; those of Value targets and of External
   * averages, at 2^31 − 1; or all, limits of Percent policies for scale-ups included.
   */
  readonly saturates: "none" | "single-values" | "all";
  /** Sums over pods have no bounds; else they wrap at 64 bits, and a utilization at 32. */
  readonly sumsExactly: boolean;
  /** With zero replicas the average in status is 0; else it is what a division by zero gives. */
  readonly zeroReplicasAverage: "zero" | "divided";
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
  /** An Object metric with an AverageValue target is named in events and reasons by its object, or as external. */
  readonly averageObjectName: "object" | "external";
  /** Pods that succeeded are ignored; else they count by their samples. */
  readonly ignoresSucceededPods: boolean;
  /** The overhead of a pod counts among its pod-level requests. */
  readonly countsPodOverhead: boolean;
  /** Which containers are read first: the error names the first one without a request. */
  readonly firstContainers: "regular" | "sidecars";
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

/** A rule that decides how many replicas there are; the others change what is written about them. */
export type ScalingRule =
  | "toleranceTest"
  | "hasPerHpaTolerance"
  | "hasPodLevelRequests"
  | "countsPodOverhead"
  | "ignoresSucceededPods"
  | "absentContainer"
  | "saturates"
  | "sumsExactly"
  | "saturatesQuantities"
  | "capsExternalSum"
  | "readsNegativeSumAsOverflow"
  | "fromZero";

export const scalingRules: readonly ScalingRule[] = [
  "toleranceTest",
  "hasPerHpaTolerance",
  "hasPodLevelRequests",
  "countsPodOverhead",
  "ignoresSucceededPods",
  "absentContainer",
  "saturates",
  "sumsExactly",
  "saturatesQuantities",
  "capsExternalSum",
  "readsNegativeSumAsOverflow",
  "fromZero",
];

const v138: Semantics = {
  toleranceTest: "two-sided",
  hasPerHpaTolerance: true,
  hasPodLevelRequests: true,
  saturates: "all",
  sumsExactly: true,
  saturatesQuantities: true,
  zeroReplicasAverage: "zero",
  capsExternalSum: true,
  fromZero: "condition",
  readsNegativeSumAsOverflow: true,
  absentContainer: "missing",
  describesAverageObject: true,
  objectErrorText: "ordered",
  averageObjectName: "object",
  ignoresSucceededPods: true,
  countsPodOverhead: false,
  firstContainers: "sidecars",
  selectorText: "current",
  printsMemoryBinary: true,
  writesObservedGeneration: true,
  ambiguityText: "more-than-one",
  keepsSpecError: true,
};

const v137: Semantics = {
  ...v138,
  saturates: "single-values",
  sumsExactly: false,
  saturatesQuantities: false,
  zeroReplicasAverage: "divided",
  averageObjectName: "external",
  ignoresSucceededPods: false,
  countsPodOverhead: true,
  firstContainers: "regular",
};

const v136: Semantics = {
  ...v137,
  writesObservedGeneration: false,
  ambiguityText: "multiple",
  objectErrorText: "jumbled",
  keepsSpecError: false,
};

const v135: Semantics = { ...v136, fromZero: "min-replicas" };

const v132: Semantics = {
  ...v135,
  toleranceTest: "absolute",
  hasPerHpaTolerance: false,
  hasPodLevelRequests: false,
  saturates: "none",
  capsExternalSum: false,
  readsNegativeSumAsOverflow: false,
  absentContainer: "error",
  selectorText: "1.32",
  describesAverageObject: false,
  printsMemoryBinary: false,
};

const profiles: ReadonlyMap<SemanticsProfile, Semantics> = new Map([
  ["1.32", v132],
  ["1.35", v135],
  ["1.36", v136],
  ["1.37", v137],
  ["1.38", v138],
]);

/** Oldest first. */
export const semanticsProfiles: readonly SemanticsProfile[] = [...profiles.keys()];

export function isProfile(value: unknown): value is SemanticsProfile {
  return profiles.has(value as SemanticsProfile);
}

/** A target at zero replicas is scaled by metrics if the condition ScaledToZero is True; else if minReplicas is 0. */
export function leavesZeroByCondition(profile: SemanticsProfile): boolean {
  return semanticsOf(profile).fromZero === "condition";
}

/** Our own kinds keep no text of an older release. */
const ownProfiles: ReadonlyMap<Semantics, Semantics> = new Map(
  [...profiles.values()].map((semantics) => [semantics, { ...semantics, zeroReplicasAverage: "zero" }]),
);

/** The switches of a profile, for an object of the kind; anything unknown gives those of 1.37. */
export function semanticsOf(
  profile: SemanticsProfile,
  object?: { readonly kind?: string | undefined },
): Semantics {
  const semantics = profiles.get(profile) ?? v137;
  return object?.kind === "WorkloadAutoscaler" ? (ownProfiles.get(semantics) ?? semantics) : semantics;
}

/** A selector's error as the profile's release words it. */
export function wordSelectorProblem(problem: string | undefined, semantics: Semantics): string | undefined {
  if (semantics.selectorText === "current") return problem;
  return problem
    ?.replace("Invalid value: null:", "Invalid value: []string(nil):")
    .replace("a valid label key must", "a qualified name must");
}
