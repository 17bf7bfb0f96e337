import { PrometheusError } from "@plimsoll/prometheus";
import type { ProviderFailure } from "../provider/provider.ts";

/** What a client is told when Prometheus could not answer. */
export function prometheusFailure(error: PrometheusError): ProviderFailure {
  switch (error.kind) {
    case "bad_data":
    case "execution":
      // Asking again will not help: the query itself is wrong.
      return {
        code: "Internal",
        message: `unable to fetch metrics: Prometheus refused the query: ${error.message}`,
      };
    case "unreachable":
    case "timeout":
    case "unauthorized":
    case "rate_limited":
    case "server_error":
    case "bad_response":
    case "too_large":
    default:
      return {
        code: "Unavailable",
        message: `unable to fetch metrics: ${WORDS[error.kind]}: ${error.message}`,
        retryAfterSeconds: Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1000)),
      };
  }
}

const WORDS: Readonly<Record<PrometheusError["kind"], string>> = {
  bad_data: "Prometheus refused the query",
  execution: "the query failed",
  unreachable: "Prometheus cannot be reached",
  timeout: "Prometheus did not answer in time",
  unauthorized: "Prometheus refused the credentials",
  rate_limited: "Prometheus is limiting requests",
  server_error: "Prometheus failed",
  bad_response: "Prometheus sent something that is not an answer",
  too_large: "Prometheus sent too much",
};

/** The failure that an error stands for; undefined when it is a bug and has to be thrown on. */
export function failureOf(error: unknown, signal: AbortSignal): ProviderFailure | undefined {
  if (error instanceof PrometheusError) return prometheusFailure(error);
  if (signal.aborted) return { code: "Timeout", message: "the request ended before the metrics were there" };
  return undefined;
}
