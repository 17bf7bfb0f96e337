import { messageOf } from "@plimsoll/component-base";
import { ApiError } from "./api-error.ts";

/** The text of a failure as upstream's clients would print it. */
export function apiErrorText(error: unknown, path?: string): string {
  if (error instanceof ApiError && error.code === 404 && path !== undefined && !hasStatus(error)) {
    return `the server could not find the requested resource (get ${groupResourceOf(path)})`;
  }
  return messageOf(error);
}

/** A body that is a Status object has a text of its own; "404 page not found" has not. */
function hasStatus(error: ApiError): boolean {
  return typeof error.status === "object" && error.status !== null;
}

/** "/apis/GROUP/VERSION/namespaces/NS/RESOURCE/…" → "RESOURCE.GROUP". */
function groupResourceOf(path: string): string {
  const [, root, group, , , , resource] = path.split("/");
  return root === "apis" ? `${resource ?? ""}.${group ?? ""}` : path;
}
