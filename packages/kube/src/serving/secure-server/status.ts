// Writes failures as metav1.Status, for every way of serving a request.
import type { ServerResponse } from "node:http";
import { cutText, publicText } from "@plimsoll/core/redact";
import type { AccessSpec } from "../../reviews/access-review.ts";
import type { User } from "../../reviews/identity.ts";

/** metav1.StatusDetails, in the order in which Go writes it. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly {
    readonly reason?: string;
    readonly message: string;
    readonly field?: string;
  }[];
  readonly retryAfterSeconds?: number;
}

/** A failure, with its code of HTTP. */
export interface StatusFailure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** metav1.Status. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: "Failure";
  readonly message: string;
  readonly reason: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** More requests are in flight than a limit allows. */
export const tooManyRequests: StatusFailure = {
  code: 429,
  reason: "TooManyRequests",
  message: "too many requests are in flight; try again later",
  retryAfterSeconds: 1,
};

/** A request may name a metric of tens of thousands of characters. */
const maxMessage = 2_048;

/** The one place where a failure becomes a Status: short, and without addresses where the server failed. */
export function statusOf({ code, reason, message, details, retryAfterSeconds }: StatusFailure): Status {
  // What is wrong with a request is about the caller's own words; what failed behind it may name servers.
  const shown = (text: string): string => (code < 500 ? text : publicText(text));
  const written = details && {
    ...details,
    ...(details.name === undefined ? {} : { name: cutText(details.name) }),
    ...(details.causes === undefined
      ? {}
      : { causes: details.causes.map((one) => ({ ...one, message: cutText(shown(one.message)) })) }),
  };
  const withRetry = retryAfterSeconds === undefined ? written : { ...written, retryAfterSeconds };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: cutText(shown(message), maxMessage),
    reason,
    ...(withRetry === undefined ? {} : { details: withRetry }),
    code,
  };
}

/** The headers that a failure has beside those of its content. */
export function failureHeaders({ code, retryAfterSeconds }: StatusFailure): Readonly<Record<string, string>> {
  // On a 5xx client-go would wait and retry up to ten times within one evaluation of an autoscaler.
  if (code !== 429 || retryAfterSeconds === undefined) return {};
  return { "Retry-After": String(Math.ceil(retryAfterSeconds)) };
}

/** The whole response to a failure, where nothing was negotiated. */
export function statusResponse(failure: StatusFailure) {
  const body = `${JSON.stringify(statusOf(failure))}\n`;
  const headers = {
    "Content-Type": "application/json",
    "Cache-Control": "no-cache, private",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": String(Buffer.byteLength(body)),
    ...failureHeaders(failure),
  };
  return { headers, body };
}

/** Sends a failure in JSON. */
export function sendStatus(response: ServerResponse, failure: StatusFailure): void {
  const { headers, body } = statusResponse(failure);
  response.writeHead(failure.code, headers).end(body);
}

/**
 * In the words that every Kubernetes client shows.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go#forbiddenMessage
 */
export function forbiddenText(
  { name }: User,
  {
    resourceAttributes,
    nonResourceAttributes,
  }: Pick<AccessSpec, "resourceAttributes" | "nonResourceAttributes">,
): string {
  const who = `User ${JSON.stringify(name)} cannot`;
  if (resourceAttributes === undefined)
    return `${who} ${String(nonResourceAttributes?.verb)} path ${JSON.stringify(nonResourceAttributes?.path)}`;
  const { verb, resource, subresource, group = "", namespace } = resourceAttributes;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return `${who} ${verb} resource "${what}" in API group "${group}" ${where}`;
}

/**
 * The API server is away, or does not let this server send reviews. Only the log says which.
 * @param what "the caller's token" or "the caller's access"
 */
export function unreviewedText(what: string): string {
  return `the API server did not review ${what}, so the request is not allowed; see the log of this server`;
}
