import { join } from "node:path";
import { FetchFailed, unpackedPackage } from "./distribution.mjs";
import { Missing } from "./missing.mjs";
import { findOnPath, isExecutable } from "./programs.mjs";

/**
 * The path of a real VictoriaMetrics: $VICTORIA_METRICS, the PATH, or the distribution's package in a cache. It is the
 * second server that the adapter is tried on; where there is none, undefined, and those tests are skipped.
 */
export function findVictoriaMetrics() {
  const named = process.env.VICTORIA_METRICS;
  if (named) {
    if (!isExecutable(named)) throw new Missing(`VICTORIA_METRICS=${named} is not a program`);
    return named;
  }
  const found = findOnPath(["victoria-metrics", "victoria-metrics-prod"]);
  if (found) return found;
  try {
    return join(unpackedPackage("victoria-metrics"), "usr", "bin", "victoria-metrics");
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    console.error(`plimsoll: no VictoriaMetrics (${error.message}): its tests are skipped`);
    return undefined;
  }
}
