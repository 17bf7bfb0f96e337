// Turns errors, and results that are not whole, into failures that a client understands.
import type { Awaitable } from "@plimsoll/component-base";
import { failureText, type InstantResult, missingPart, PrometheusError } from "@plimsoll/prometheus";
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
  if (signal().aborted) return { code: "Timeout", message: "the request ended before the metrics arrived" };
  return undefined;
}

/** What a client gets when Prometheus gave no result. */
function prometheusFailure(error: PrometheusError): ProviderFailure {
  const message = `unable to fetch metrics: ${failureText(error)}`;
  // To retry does not help: the query itself is wrong.
  if (error.kind === "bad_data" || error.kind === "execution") return { code: "Internal", message };
  return {
    code: "Unavailable",
    message,
    retryAfterSeconds: Math.max(1, Math.ceil((error.retryAfterMs ?? 1_000) / 1000)),
  };
}

/** A sum over part of the data would be too small: no value is better. Undefined: the result is whole. */
export function partialFailure(result: InstantResult): Failed | undefined {
  const cause = missingPart(result);
  if (cause === undefined) return undefined;
  return failed("Unavailable", `unable to fetch metrics: ${cause}`, { retryAfterSeconds: 1 });
}
