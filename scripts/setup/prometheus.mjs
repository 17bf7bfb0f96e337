import { join } from "node:path";
import { FetchFailed, unpackedPackage } from "./distribution.mjs";
import { Missing } from "./missing.mjs";
import { findOnPath, isExecutable } from "./programs.mjs";

const REMEDY =
  "set PROMETHEUS=/path/to/prometheus, or install it: 'apt-get install prometheus', 'brew install prometheus', " +
  "or copy /bin/prometheus out of the image prom/prometheus with 'docker cp'";

/** The path of a real Prometheus: $PROMETHEUS, the PATH, or the distribution's package in a cache. */
export function findPrometheus() {
  const named = process.env.PROMETHEUS;
  if (named) {
    if (!isExecutable(named)) throw new Missing(`PROMETHEUS=${named} is not a program; ${REMEDY}`);
    return named;
  }
  const found = findOnPath(["prometheus"]);
  if (found) return found;
  try {
    return join(unpackedPackage("prometheus"), "usr", "bin", "prometheus");
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    throw new Missing(`no Prometheus found, and fetching its package failed (${error.message}); ${REMEDY}`);
  }
}
