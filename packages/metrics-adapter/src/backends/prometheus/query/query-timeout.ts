// How long a query may take, by what is left of its request.
import { timeLeftMs } from "../../request-deadline.ts";

export interface QueryTimeoutOptions {
  readonly nowMs: () => number;
  /** Never longer than this; undefined: what is left of the request's time. */
  readonly maxMs: number | undefined;
}

/** Reserved of the request's time, so that the caller gets the reason. */
const MARGIN_MS = 500;
const FAIR_MS = 5_000;

/** How long queries may take. */
export function createQueryTimeout({ nowMs, maxMs }: QueryTimeoutOptions) {
  return {
    /** Undefined: as long as the client lets it. */
    grantedMs(signal: AbortSignal, kind: "exact" | "batched", ownMaxMs?: number): number | undefined {
      const leftMs = timeLeftMs(signal, nowMs());
      const limitMs = ownMaxMs === undefined ? maxMs : Math.min(ownMaxMs, maxMs ?? ownMaxMs);
      if (leftMs === undefined) return limitMs;
      const usableMs = leftMs - Math.min(MARGIN_MS, leftMs / 10);
      // When the batched query fails, the exact one still has half of the time.
      const shareMs = Math.max(1, Math.floor(kind === "batched" ? usableMs / 2 : usableMs));
      return Math.min(limitMs ?? shareMs, shareMs);
    },
    /** Whether a query that did not end within the time is to blame, and not its caller's short deadline. */
    isFair: (grantedMs: number | undefined): boolean =>
      grantedMs === undefined || grantedMs >= Math.min(FAIR_MS, maxMs ?? FAIR_MS),
  };
}
