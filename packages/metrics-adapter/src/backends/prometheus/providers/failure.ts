// Turns errors, and results that are not whole, into failures that a client understands.
import type { Awaitable } from "@plimsoll/component-base";
import { type InstantResult, PrometheusError } from "@plimsoll/prometheus";
import type { Caller } from "../query/execute.ts";
import { SourceBusyError } from "../query/runners.ts";
import { type Failed, failed, type Outcome, type ProviderFailure } from "./outcome.ts";

/** Runs a request; errors of Prometheus and aborted requests become failures, all others are bugs and are thrown. */
export function guarded<T>(caller: Caller, work: () => Awaitable<Outcome<T>>): Awaitable<Outcome<T>> {
  const toOutcome = (error: unknown): Outcome<T> => {
    const failure = failureOf(error, caller);
    if (failure === undefined) throw error;
    return { ok: false, failure };
  };
  try {
    const outcome = work();
    return outcome instanceof Promise ? outcome.catch(toOutcome) : outcome;
  } catch (error) {
    return toOutcome(error);
  }
}

function failureOf(error: unknown, { signal }: Caller): ProviderFailure | undefined {
  if (error instanceof PrometheusError) return prometheusFailure(error);
  if (error instanceof SourceBusyError)
    return {
      code: "Unavailable",
      message: `unable to fetch metrics: ${error.message}`,
      retryAfterSeconds: 1,
    };
  if (signal().aborted)
    return { code: "Timeout", message: "the request ended before the metrics were there" };
  return undefined;
}

/** What a client gets when Prometheus gave no result. */
function prometheusFailure(error: PrometheusError): ProviderFailure {
  const message = `unable to fetch metrics: ${messages[error.kind]}: ${error.message}`;
  // To retry does not help: the query itself is wrong.
  if (error.kind === "bad_data" || error.kind === "execution") return { code: "Internal", message };
  return {
    code: "Unavailable",
    message,
    retryAfterSeconds: Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1000)),
  };
}

const messages: Readonly<Record<PrometheusError["kind"], string>> = {
  bad_data: "Prometheus refused the query",
  execution: "Prometheus refused the query",
  unreachable: "Prometheus cannot be reached",
  timeout: "Prometheus did not respond in time",
  unauthorized: "Prometheus refused the credentials",
  rate_limited: "Prometheus is limiting requests",
  server_error: "Prometheus failed",
  bad_response: "Prometheus sent something that is not a response of its API",
  too_large: "Prometheus sent too much",
};

/**
 * The warning that a result is not whole, as federating servers and remote reads give it. Notes on the query
 * itself, which Prometheus marks with "PromQL", say nothing about the data.
 */
export function partialWarning(result: InstantResult): string | undefined {
  return result.warnings.find((warning) => !warning.startsWith("PromQL"));
}

/** A sum over part of the data would be too small: no value is better. */
export function partialFailure(warning: string): Failed {
  const message = `unable to fetch metrics: Prometheus has only part of the data: ${warning}`;
  return failed("Unavailable", message, { retryAfterSeconds: 1 });
}
