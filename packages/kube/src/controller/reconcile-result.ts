// The result of reconciling one key: when to requeue it.

/** What a run requests for the next one. */
export interface ReconcileResult {
  /** The key runs once more at this instant of the wall clock; replaces what earlier runs wanted. */
  readonly requeueAtMs?: number;
  /** The work is not done: the key runs once more after a backoff, of at most `maxMs`. */
  readonly retry?: { readonly maxMs?: number };
  /** The periods of the key are skipped for so long. */
  readonly skipMs?: number;
}
