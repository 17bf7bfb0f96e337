// Metrics of requests, access and certificates.

import type { AuthenticationMethod } from "@plimsoll/kube/serving";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ApiName, RequestKind } from "../http/route.ts";
import { createPlainCounter } from "./counter.ts";

export interface Telemetry {
  served(request: { api: ApiName; verb: string; code: number; seconds: number }): void;
  authenticated(
    method: AuthenticationMethod | "none",
    outcome: "user" | "anonymous" | "refused" | "unreviewed" | "busy",
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
export type ReloadedPart = "serving-certificate" | "authentication" | "rules" | "sources";

export interface TelemetryOptions {
  readonly registry: Registry;
  readonly inFlight: () => Readonly<Record<RequestKind, number>>;
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
export function createTelemetry({ registry, inFlight }: TelemetryOptions): Telemetry {
  const registers = [registry];
  const requests = requestMetrics(registers);
  const access = accessMetrics(registers);
  const process = processMetrics(registers);
  createInFlightGauge(registers, inFlight);
  return {
    served: ({ api, verb, code, seconds }) => {
      requests.total.add(api, knownVerbs.has(verb) ? verb : "other", String(code));
      requests.durations.observe({ api }, seconds);
    },
    authenticated: (method, outcome) => access.authentications.add(method, outcome),
    authorized: (source, outcome) => access.authorizations.add(source, outcome),
    refused: (reason) => requests.refusals.inc({ reason }),
    certificateExpires: (atMs) => process.expiry.set(atMs / 1000),
    reloaded: (what, outcome) => process.reloads.inc({ what, outcome }),
  };
}

function requestMetrics(registers: Registry[]) {
  const total = createPlainCounter({
    name: "plimsoll_adapter_requests_total",
    help: "Requests with a response.",
    labelNames: ["api", "verb", "code"],
    registers,
  });
  const durations = new Histogram({
    name: "plimsoll_adapter_request_duration_seconds",
    help: "Duration of requests.",
    labelNames: ["api"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const refusals = new Counter({
    name: "plimsoll_adapter_refused_requests_total",
    help: "Refused and timed-out requests.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["protocol", "malformed", "overload", "deadline"]) refusals.inc({ reason }, 0);
  return { total, durations, refusals };
}

function accessMetrics(registers: Registry[]) {
  const authentications = createPlainCounter({
    name: "plimsoll_adapter_authentications_total",
    help: "Authentications of callers.",
    labelNames: ["method", "outcome"],
    registers,
  });
  const authorizations = createPlainCounter({
    name: "plimsoll_adapter_authorizations_total",
    help: "Authorization decisions.",
    labelNames: ["source", "outcome"],
    registers,
  });
  return { authentications, authorizations };
}

function processMetrics(registers: Registry[]) {
  const reloads = new Counter({
    name: "plimsoll_adapter_reloads_total",
    help: "Reloads of certificates, authentication, rules, and sources.",
    labelNames: ["what", "outcome"],
    registers,
  });
  for (const what of ["serving-certificate", "authentication", "rules", "sources"]) {
    reloads.inc({ what, outcome: "success" }, 0);
    reloads.inc({ what, outcome: "failure" }, 0);
  }
  const expiry = new Gauge({
    name: "plimsoll_adapter_serving_certificate_expiry_timestamp_seconds",
    help: "When the serving certificate expires.",
    registers,
  });
  return { reloads, expiry };
}

function createInFlightGauge(registers: Registry[], inFlight: TelemetryOptions["inFlight"]): void {
  const gauge = new Gauge({
    name: "plimsoll_adapter_requests_in_flight",
    help: "Requests in flight.",
    labelNames: ["request_kind"],
    registers,
    collect: () => {
      for (const [kind, count] of Object.entries(inFlight())) gauge.set({ request_kind: kind }, count);
    },
  });
}
