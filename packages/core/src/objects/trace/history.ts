// Trace steps about scale history.

/** Whether the scale of which it was not known how it ended was made; one that was not made uses up no policy. */
export interface UnconfirmedScaleTrace {
  readonly kind: "unconfirmed-scale";
  readonly replicas: number;
  readonly isMade: boolean;
}

/**
 * What a former process changed is unknown: `unknown` of each policy in the `rate` step is what it may have
 * changed within the period.
 */
export interface UnknownHistoryTrace {
  readonly kind: "unknown-history";
  readonly lastScaleAtMs: number;
  readonly untilMs: number;
}
