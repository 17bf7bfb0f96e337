// Errors that become a metav1.Status.
import type { JsonRecord } from "../storage/json-value.ts";

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** An outcome that a client sees as metav1.Status. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(options: { code: number; reason: string; message: string; details?: StatusDetails }) {
    super(options.message);
    this.name = "StatusError";
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
  }
}

export function statusBody(error: StatusError): JsonRecord {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: error.message,
    ...(error.reason === "" ? {} : { reason: error.reason }),
    ...(error.details === undefined ? {} : { details: error.details }),
    code: error.code,
  };
}

/** Names a resource in messages and details: `deployments.apps`. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

export function qualified(name: ResourceName): string {
  return name.group === "" ? name.resource : `${name.resource}.${name.group}`;
}

export function notFound(resource: ResourceName, name: string): StatusError {
  return new StatusError({
    code: 404,
    reason: "NotFound",
    message: `${qualified(resource)} "${name}" not found`,
    details: detailsOf(resource, name),
  });
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  return new StatusError({
    code: 409,
    reason: "AlreadyExists",
    message: `${qualified(resource)} "${name}" already exists`,
    details: detailsOf(resource, name),
  });
}

export const modifiedMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

export function conflict(resource: ResourceName, name: string, why: string = modifiedMessage): StatusError {
  return new StatusError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    details: detailsOf(resource, name),
  });
}

export function forbidden(resource: ResourceName, name: string, why: string): StatusError {
  const subject = name === "" ? qualified(resource) : `${qualified(resource)} "${name}"`;
  return new StatusError({
    code: 403,
    reason: "Forbidden",
    message: `${subject} is forbidden: ${why}`,
    details: detailsOf(resource, name),
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: "BadRequest", message });
}

export function methodNotAllowed(): StatusError {
  return new StatusError({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}

export function expired(message: string): StatusError {
  return new StatusError({ code: 410, reason: "Expired", message });
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  });
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return new StatusError({
    code: 406,
    reason: "NotAcceptable",
    message: `only the following media types are accepted: ${accepted.join(", ")}`,
  });
}

export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

export function serviceUnavailable(message: string): StatusError {
  return new StatusError({ code: 503, reason: "ServiceUnavailable", message });
}

export function internalError(message: string): StatusError {
  return new StatusError({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ reason: "", message }] },
  });
}

function detailsOf(resource: ResourceName, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
  };
}
