// Failures of requests, and the Status of Kubernetes that says them.

/** Why a request has no document. */
export interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** As a Status object of the Kubernetes API. */
export function statusOf({ code, reason, message }: Failure): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code };
}

/** Ends the work on a request with a failure that the reader can do something about. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }

  static notFound(message: string): RequestError {
    return new RequestError({ code: 404, reason: "NotFound", message });
  }

  static nothingAt(path: string): RequestError {
    return RequestError.notFound(`there is nothing at ${path.slice(0, 300)}`);
  }

  /** A parameter of an address that cannot be used. */
  static invalid(parameter: string, reason: string): RequestError {
    const message = `the parameter ${parameter} ${reason}`;
    return new RequestError({ code: 400, reason: "BadRequest", message });
  }
}
