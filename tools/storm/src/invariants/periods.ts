// How often an object is evaluated.
import type { StoredObject } from "@plimsoll/sandbox";

interface Spec {
  readonly tuning?: { readonly syncPeriodSeconds?: number };
}

/** Its own period, or that of the process. */
export function periodMsOf(
  { kind, spec }: Pick<StoredObject, "kind" | "spec">,
  syncPeriodMs: number,
): number {
  const { tuning } = (spec ?? {}) as Spec;
  const seconds = kind === "WorkloadAutoscaler" ? tuning?.syncPeriodSeconds : undefined;
  return seconds === undefined ? syncPeriodMs : seconds * 1000;
}
