import { redactUrl } from "@plimsoll/core/redact";
import { cut, excerpt } from "./cut.ts";
import { decodeFailure } from "./decode.ts";
import { PrometheusError, type PrometheusErrorKind } from "./errors.ts";
import type { ExchangeResult } from "./http.ts";

/** The typed error of a response whose status is not 2xx. */
export function errorFor(result: ExchangeResult, hide: (text: string) => string): PrometheusError {
  const { status, retryAfterMs } = result;
  if (status >= 300 && status < 400) {
    const target = result.location === undefined ? "" : ` to ${cut(redactUrl(result.location))}`;
    return new PrometheusError("bad_response", `HTTP ${status}: a redirect${target} is not followed`, {
      status,
    });
  }
  const failure = decodeFailure(result.text, hide);
  const detail =
    failure === undefined ? excerpt(result.text, hide) : `${failure.errorType}: ${failure.error}`;
  const kind = kindOf(status, failure?.errorType);
  return new PrometheusError(kind, `HTTP ${status}: ${detail}`, { status, retryAfterMs });
}

function kindOf(status: number, errorType: string | undefined): PrometheusErrorKind {
  if (errorType === "timeout" || status === 504) return "timeout";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "unauthorized";
  if (status >= 500) return "server_error";
  if (errorType === "execution" || (status === 422 && errorType !== "bad_data")) return "execution";
  // Without Prometheus's own error object it is another server's response: a wrong address, or a proxy's page.
  return errorType === undefined && status === 404 ? "bad_response" : "bad_data";
}
