// The checks behind the health endpoints.
import type { Engine } from "../../backends/prometheus/engine.ts";
import { type HealthCheck, type HealthChecks, ping } from "./health.ts";

export interface ReadinessOptions {
  readonly engine: Engine;
  /** Undefined when the rules in force are those of the file. */
  readonly rulesNote: () => string | undefined;
  /** Why the sources in force are not those of their file; absent where there is none. */
  readonly sourcesNote?: (() => string | undefined) | undefined;
  /** Which other adapters are down; absent where there are none. */
  readonly backendsNote?: (() => string | undefined) | undefined;
  readonly authenticationProblem: () => string | undefined;
  readonly certificateExpiresAtMs: () => number;
  readonly isDraining: () => boolean;
  readonly nowMs: () => number;
}

export interface Readiness {
  readonly checks: HealthChecks;
  engineFailed(error: unknown): void;
}

/** Clients should use another replica before their handshakes fail. */
const expiryMarginMs = 5 * 60_000;

/**
 * Live: the process responds. Ready: it can authenticate callers and has data. /healthz is both probes in
 * prometheus-adapter's chart, so it must not depend on Prometheus.
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  let failure: string | undefined;
  const shutdown: HealthCheck = {
    name: "shutdown",
    problem: () => (options.isDraining() ? "shutting down" : undefined),
  };
  const metrics: HealthCheck = {
    name: "metrics",
    problem: () => {
      const { ready, message } = options.engine.readiness();
      return failure ?? (ready ? undefined : message);
    },
    note: () => {
      const { message } = options.engine.readiness();
      return message === "ok" ? undefined : message;
    },
  };
  const authentication: HealthCheck = { name: "authentication", problem: options.authenticationProblem };
  const certificate: HealthCheck = {
    name: "serving-certificate",
    problem: () => {
      const expiresAtMs = options.certificateExpiresAtMs();
      const isUsable = options.nowMs() < expiresAtMs - expiryMarginMs;
      return isUsable ? undefined : `expires at ${new Date(expiresAtMs).toISOString()}`;
    },
  };
  const rules: HealthCheck = { name: "rules", problem: () => undefined, note: options.rulesNote };
  const sources: readonly HealthCheck[] =
    options.sourcesNote === undefined
      ? []
      : [{ name: "sources", problem: () => undefined, note: options.sourcesNote }];
  // One that is down makes nothing unready: our own metrics are served.
  const backends: readonly HealthCheck[] =
    options.backendsNote === undefined
      ? []
      : [{ name: "backends", problem: () => undefined, note: options.backendsNote }];
  return {
    checks: {
      healthz: [ping, shutdown],
      livez: [ping],
      readyz: [ping, authentication, certificate, metrics, rules, ...sources, ...backends, shutdown],
    },
    engineFailed: (error) => {
      failure = `engine failed to start: ${String(error)}`;
    },
  };
}
