// The result of a replay for programs: plimsoll/replay/v1.

/** Fields are only added within one version of the schema. */
export interface ReplayDocument {
  readonly schema: "plimsoll/replay/v1";
  /** When it was replayed, RFC 3339. */
  readonly at: string;
  readonly records: number;
  /** Of these; with --set those of which no step changes. */
  readonly equal: number;
  /** The first thousand. */
  readonly differences: readonly ReplayDifference[];
  /** With --semantics and without --set. */
  readonly upgrade?: ReplayUpgrade;
  readonly notes: readonly string[];
  /** What could not be read. */
  readonly errors: readonly { readonly object: string; readonly message: string }[];
}

/** What another release of Kubernetes changes. */
export interface ReplayUpgrade {
  /** The releases whose rules decided. */
  readonly from: readonly string[];
  readonly to: string;
  readonly decisions: number;
  /** Decisions whose replicas change. */
  readonly changed: number;
  /** Autoscalers with a record. */
  readonly objects: number;
  /** Autoscalers for which something changes: the first thousand, those with most changes of replicas first. */
  readonly changes: readonly UpgradedObject[];
}

/** One autoscaler for which something changes. */
export interface UpgradedObject {
  /** "namespace/name". */
  readonly object: string;
  readonly decisions: number;
  /** Decisions whose replicas change. */
  readonly changed: number;
  /** The first few of them: the replicas at that time, the release that decided, and what each release makes of them. */
  readonly examples: readonly {
    readonly at: string;
    readonly from: string;
    readonly current: number;
    readonly before: number;
    readonly after: number;
  }[];
  /** The rules that change the replicas, as sentences. */
  readonly why: readonly string[];
  /** Fields that change beside the replicas, and in how many decisions. */
  readonly otherFields: readonly { readonly field: string; readonly decisions: number }[];
}

/** A field that differs. */
export interface ReplayDifference {
  /** From 1, in the order in which they were read. */
  readonly record: number;
  /** "namespace/name". */
  readonly object: string;
  /** When it was decided. */
  readonly at: string;
  /** Such as "metric[0].target.value" or "decision.desiredReplicas". */
  readonly path: string;
  /** Absent: there was none. */
  readonly recorded?: unknown;
  readonly now?: unknown;
}
