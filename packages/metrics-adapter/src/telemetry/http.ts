// Metrics of requests, access and certificates.
import type { AuthenticationMethod } from "@plimsoll/kube/serving";
import type { Registry } from "prom-client";
import type { ApiName, RequestKind } from "../http/route.ts";
import { define } from "./counter.ts";

export type Telemetry = ReturnType<typeof createTelemetry>;

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
export function createTelemetry({ registry, inFlight }: TelemetryOptions) {
  const metrics = define([registry]);
  const requests = requestMetrics(metrics);
  const access = accessMetrics(metrics);
  const process = processMetrics(metrics);
  metrics.sampled("plimsoll_adapter_requests_in_flight", "Requests in flight.", ["request_kind"], (gauge) => {
    for (const [kind, count] of Object.entries(inFlight())) gauge.set({ request_kind: kind }, count);
  });
  return {
    served: ({
      api,
      verb,
      code,
      seconds,
    }: {
      api: ApiName;
      verb: string;
      code: number;
      seconds: number;
    }): void => {
      requests.total.add(api, knownVerbs.has(verb) ? verb : "other", String(code));
      requests.durations.observe({ api }, seconds);
    },
    authenticated: (
      method: AuthenticationMethod | "none",
      outcome: "user" | "anonymous" | "refused" | "unreviewed" | "busy",
    ) => access.authentications.add(method, outcome),
    authorized: (
      source: "superuser" | "review" | "always-allowed",
      outcome: "allowed" | "denied" | "error",
    ) => access.authorizations.add(source, outcome),
    refused: (reason: RefusalReason) => requests.refusals.inc({ reason }),
    certificateExpires: (atMs: number) => process.expiry.set(atMs / 1000),
    reloaded: (what: ReloadedPart, outcome: "success" | "failure") => process.reloads.inc({ what, outcome }),
  };
}

type Define = ReturnType<typeof define>;

function requestMetrics({ counter, histogram, plainCounter }: Define) {
  const total = plainCounter("plimsoll_adapter_requests_total", "Requests with a response.", [
    "api",
    "verb",
    "code",
  ]);
  const durations = histogram("plimsoll_adapter_request_duration_seconds", "Duration of requests.", ["api"]);
  const refusals = counter("plimsoll_adapter_refused_requests_total", "Refused and timed-out requests.", [
    "reason",
  ]);
  for (const reason of ["protocol", "malformed", "overload", "deadline"]) refusals.inc({ reason }, 0);
  return { total, durations, refusals };
}

function accessMetrics({ plainCounter }: Define) {
  return {
    authentications: plainCounter("plimsoll_adapter_authentications_total", "Authentications of callers.", [
      "method",
      "outcome",
    ]),
    authorizations: plainCounter("plimsoll_adapter_authorizations_total", "Authorization decisions.", [
      "source",
      "outcome",
    ]),
  };
}

function processMetrics({ counter, gauge }: Define) {
  const reloads = counter(
    "plimsoll_adapter_reloads_total",
    "Reloads of certificates, authentication, rules, and sources.",
    ["what", "outcome"],
  );
  for (const what of ["serving-certificate", "authentication", "rules", "sources"])
    for (const outcome of ["success", "failure"]) reloads.inc({ what, outcome }, 0);
  const expiry = gauge(
    "plimsoll_adapter_serving_certificate_expiry_timestamp_seconds",
    "When the serving certificate expires.",
  );
  return { reloads, expiry };
}
