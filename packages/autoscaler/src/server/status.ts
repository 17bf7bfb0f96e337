// Sends errors as metav1.Status.
import type { Response } from "express";

/** A failure, as a Status object of the Kubernetes API. */
export interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

export function sendStatus(response: Response, { code, reason, message }: Failure): void {
  response.status(code).json({ kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code });
}

export const nothingHere: Failure = {
  code: 404,
  reason: "NotFound",
  message: "there is nothing at this path",
};
