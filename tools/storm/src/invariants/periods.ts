// How often an object is evaluated.
import { livePeriod, readQueries } from "@plimsoll/core/queries";
import type { StoredObject } from "@plimsoll/sandbox";

interface Spec {
  readonly tuning?: { readonly syncPeriodSeconds?: number };
  readonly metrics?: unknown;
}

/** Its own period, that of its live metrics, or that of the process. */
export function periodMsOf(
  { kind, spec }: Pick<StoredObject, "kind" | "spec">,
  syncPeriodMs: number,
): number {
  if (kind !== "WorkloadAutoscaler") return syncPeriodMs;
  const { tuning, metrics } = (spec ?? {}) as Spec;
  const seconds = tuning?.syncPeriodSeconds;
  if (seconds !== undefined) return seconds * 1000;
  return livePeriod(readQueries("", metrics)).syncPeriodMs ?? syncPeriodMs;
}
