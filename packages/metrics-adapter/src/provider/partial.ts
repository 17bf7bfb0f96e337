import type { InstantResult } from "@plimsoll/prometheus";
import { failed } from "./outcome.ts";

/**
 * The warning that an answer is not whole, as federating servers and remote reads give it. Remarks on the query
 * itself, which Prometheus marks with "PromQL", say nothing about the data.
 */
export function partialWarning(result: InstantResult): string | undefined {
  return result.warnings.find((warning) => !warning.startsWith("PromQL"));
}

/** A sum over part of the data would be too small: no value is better. */
export function partialFailure(warning: string): ReturnType<typeof failed> {
  const message = `unable to fetch metrics: Prometheus has only part of the data: ${warning}`;
  return failed("Unavailable", message, { retryAfterSeconds: 1 });
}
