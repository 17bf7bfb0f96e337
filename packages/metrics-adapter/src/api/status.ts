// The code of HTTP that each failure has.
import { failureHeaders, type Status, type StatusDetails, statusOf } from "@plimsoll/kube/serving";
import type { ProviderFailure } from "../backends/prometheus/providers/outcome.ts";
import type { Failure, FailureReason } from "./failure.ts";

const httpCodes: Readonly<Record<FailureReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** What is written of a failure. */
export function toStatus(problem: Failure | ProviderFailure): {
  readonly httpCode: number;
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
} {
  const whole = "reason" in problem ? problem : fromProvider(problem);
  const failure = { ...whole, code: httpCodes[whole.reason] };
  return { httpCode: failure.code, status: statusOf(failure), headers: failureHeaders(failure) };
}

function fromProvider(failure: ProviderFailure): Failure {
  const known = fromCode(failure);
  const { cause, message } = failure;
  return cause === undefined
    ? known
    : { ...known, details: { ...known.details, causes: [{ reason: cause, message }] } };
}

function fromCode(failure: ProviderFailure): Failure {
  const { message } = failure;
  switch (failure.code) {
    case "MetricNotFound":
    case "ResourceNotFound":
    case "NoObjectsSelected":
      return { reason: "NotFound", message };
    case "ObjectNotFound":
      return { reason: "NotFound", message, ...objectDetails(failure) };
    case "BadRequest":
      return { reason: "BadRequest", message };
    case "Unavailable":
      return { reason: "ServiceUnavailable", message, retryAfterSeconds: failure.retryAfterSeconds ?? 1 };
    case "Timeout":
      return { reason: "Timeout", message, ...retryAfter(failure) };
    case "Internal":
      return {
        reason: "InternalError",
        message: message.startsWith("Internal error occurred")
          ? message
          : `Internal error occurred: ${message}`,
        details: { causes: [{ message }] },
        ...retryAfter(failure),
      };
  }
}

function objectDetails(failure: ProviderFailure): { details?: StatusDetails } {
  const { resource, name } = failure;
  if (resource === undefined || name === undefined) return {};
  const dot = resource.indexOf(".");
  return {
    details:
      dot < 0
        ? { name, kind: resource }
        : { name, group: resource.slice(dot + 1), kind: resource.slice(0, dot) },
  };
}

function retryAfter(failure: ProviderFailure): { retryAfterSeconds?: number } {
  return failure.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds };
}
