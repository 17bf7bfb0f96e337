// Why a history cannot be read, and what to do about it.

/** What went wrong. The message says it with its remedy. */
export type HistoryErrorCode =
  | "prometheus"
  | "autoscaler-absent"
  | "no-kube-state-metrics"
  | "ambiguous"
  | "retention"
  | "gaps"
  | "contradiction"
  | "limit"
  | "options";

/** A history that cannot be read, or not whole. */
export class HistoryError extends Error {
  override readonly name = "HistoryError";
  readonly code: HistoryErrorCode;

  constructor(code: HistoryErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** As in messages: whole seconds, UTC. */
export function instantText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");
}
