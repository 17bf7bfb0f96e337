// What can go wrong with a request, before and apart from what a provider reports.
import { type StatusDetails, unreviewedText } from "@plimsoll/kube/serving";

export type FailureReason =
  | "BadRequest"
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "Invalid"
  | "TooManyRequests"
  | "InternalError"
  | "ServiceUnavailable"
  | "Timeout";

export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly retryAfterSeconds?: number;
  /** The connection cannot be trusted to be in step with us any more. */
  readonly closesConnection?: true;
}

export function badRequest(message: string): Failure {
  return { reason: "BadRequest", message };
}

/** A request that breaks the rules of the transport; nothing more is read from its connection. */
export function refused(message: string): Failure {
  return { reason: "BadRequest", message, closesConnection: true };
}

export const unauthorized: Failure = { reason: "Unauthorized", message: "Unauthorized" };

/** The API server did not say whether the request is allowed. */
export function unreviewed(what: string): Failure {
  return { reason: "ServiceUnavailable", message: unreviewedText(what) };
}

export const routeNotFound: Failure = {
  reason: "NotFound",
  message: "the server could not find the requested resource",
  details: {},
};

export const methodNotAllowed: Failure = {
  reason: "MethodNotAllowed",
  message: "the server does not allow this method on the requested resource",
  details: {},
};

export function watchNotSupported(group: string, kind: string): Failure {
  return {
    reason: "MethodNotAllowed",
    message: `watch is not supported on resources of kind "${kind}.${group}"`,
    details: { group, kind },
  };
}

export function notAcceptable(accepted: readonly string[]): Failure {
  return {
    reason: "NotAcceptable",
    message: `only the following media types are accepted: ${accepted.join(", ")}`,
  };
}

export const deadlineExceeded: Failure = {
  reason: "Timeout",
  message: "Timeout: request did not complete within the allotted timeout",
};

export const tooManyRequests: Failure = {
  reason: "TooManyRequests",
  message: "Too many requests, please try again later.",
  retryAfterSeconds: 1,
};

export function internalError(cause: string): Failure {
  return {
    reason: "InternalError",
    message: `Internal error occurred: ${cause}`,
    details: { causes: [{ message: cause }] },
  };
}
