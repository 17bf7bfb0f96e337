// Failures as the page reads them: a metav1.Status.

/** Why a request has no document. */
export interface Failure {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly status: "Failure";
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

export function failure(code: number, reason: string, message: string): Failure {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
}

/** Ends the work on a request with a failure that the reader can do something about. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly failure: Failure;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.failure = failure(code, reason, message);
  }
}
