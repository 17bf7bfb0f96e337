import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { AuthenticationMethod } from "./auth/authenticate.ts";
import type { ApiName } from "./server/exchange.ts";
import type { Lane } from "./server/lanes.ts";
import { createTally } from "./tally.ts";

export interface Telemetry {
  served(request: { api: ApiName; verb: string; code: number; seconds: number }): void;
  authenticated(
    method: AuthenticationMethod | "none",
    outcome: "user" | "anonymous" | "refused" | "busy",
  ): void;
  authorized(
    source: "superuser" | "review" | "always-allowed",
    outcome: "allowed" | "denied" | "error",
  ): void;
  refused(reason: RefusalReason): void;
  certificateExpires(atMs: number): void;
  reloaded(what: ReloadedPart, outcome: "success" | "failure"): void;
}

export type RefusalReason = "protocol" | "malformed" | "overload" | "deadline";
export type ReloadedPart = "serving-certificate" | "authentication" | "rules";

export interface TelemetryOptions {
  readonly registry: Registry;
  readonly inFlight: () => Readonly<Record<Lane, number>>;
}

/** Verbs come from the caller, so all others count as one. */
const knownVerbs = new Set([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/** Metrics of the API server. Every label has a fixed set of values. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const registers = [options.registry];
  const requests = createTally({
    name: "plimsoll_adapter_requests_total",
    help: "Requests answered, by API, verb and HTTP code.",
    labelNames: ["api", "verb", "code"],
    registers,
  });
  const durations = new Histogram({
    name: "plimsoll_adapter_request_duration_seconds",
    help: "Time from the request's arrival to the end of its answer.",
    labelNames: ["api"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const authentications = createTally({
    name: "plimsoll_adapter_authentications_total",
    help: "How callers proved who they are, and how that went.",
    labelNames: ["method", "outcome"],
    registers,
  });
  const authorizations = createTally({
    name: "plimsoll_adapter_authorizations_total",
    help: "Decisions on what callers may do, by what they rest on.",
    labelNames: ["source", "outcome"],
    registers,
  });
  const refusals = new Counter({
    name: "plimsoll_adapter_refused_requests_total",
    help: "Requests turned away before an API saw them, and requests that ran out of time.",
    labelNames: ["reason"],
    registers,
  });
  const reloads = new Counter({
    name: "plimsoll_adapter_reloads_total",
    help: "Changes of certificates, of the authentication configuration and of the rules file while running.",
    labelNames: ["what", "outcome"],
    registers,
  });
  const expiry = new Gauge({
    name: "plimsoll_adapter_serving_certificate_expiry_timestamp_seconds",
    help: "When the serving certificate stops being valid.",
    registers,
  });
  const inFlight = new Gauge({
    name: "plimsoll_adapter_requests_in_flight",
    help: "Requests being worked on.",
    labelNames: ["lane"],
    registers,
    collect: () => {
      for (const [lane, count] of Object.entries(options.inFlight())) {
        inFlight.set({ lane }, count);
      }
    },
  });
  for (const reason of ["protocol", "malformed", "overload", "deadline"]) {
    refusals.inc({ reason }, 0);
  }
  for (const what of ["serving-certificate", "authentication", "rules"]) {
    reloads.inc({ what, outcome: "success" }, 0);
    reloads.inc({ what, outcome: "failure" }, 0);
  }
  return {
    served: ({ api, verb, code, seconds }) => {
      requests.add(api, knownVerbs.has(verb) ? verb : "other", String(code));
      durations.observe({ api }, seconds);
    },
    authenticated: (method, outcome) => authentications.add(method, outcome),
    authorized: (source, outcome) => authorizations.add(source, outcome),
    refused: (reason) => refusals.inc({ reason }),
    certificateExpires: (atMs) => expiry.set(atMs / 1000),
    reloaded: (what, outcome) => reloads.inc({ what, outcome }),
  };
}
