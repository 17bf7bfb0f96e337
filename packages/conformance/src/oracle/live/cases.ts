// What a case of the live oracle is, and its results.

export interface GivenSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, rising. */
  readonly times: readonly number[];
  /** Numbers as Go reads them, or "stale". */
  readonly values: readonly string[];
}

export interface LiveCase {
  readonly query: string;
  readonly atMs: number;
  readonly lookbackMs: number;
  readonly series: readonly GivenSeries[];
}

/** As in oracle/promql/evaluate.go. */
export interface EngineResult {
  readonly rows?: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: string }[];
  readonly isScalar?: boolean;
  /** "Refused" by the parser, "Duplicate" or "Match" by the engine; absent for a result. */
  readonly reason?: string;
  readonly message?: string;
}
