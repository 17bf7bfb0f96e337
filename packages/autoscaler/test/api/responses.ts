// Responses of the fake API server, as values.
import type { ServerResponse } from "node:http";

/** One response, scripted or computed. */
export interface Reply {
  readonly code: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the response byte by byte instead, or not at all. */
  readonly send?: (response: ServerResponse) => void;
}

export function failure(code: number, reason: string, message: string): Reply {
  return { code, body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message } };
}

export function conflict(resource: string, name: string | undefined): Reply {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified`,
  );
}

export function notFound(): Reply {
  return { code: 404, body: "404 page not found" };
}
