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
  readonly notes: readonly string[];
  /** What could not be read. */
  readonly errors: readonly { readonly object: string; readonly message: string }[];
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
