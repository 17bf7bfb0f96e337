// Validates list options as API servers do, although these APIs use none of them.
import { badRequest, type Failure } from "./failure.ts";
import { int64Problem } from "./int64.ts";

const text = "resourceVersionMatch is forbidden unless resourceVersion is provided";

/** What API servers refuse about the options of a list, of which these APIs use none. */
export function refusedListOptions(query: URLSearchParams): Failure | undefined {
  return refusedLimit(query) ?? refusedMatch(query);
}

/** Lists have no pages: a limit is checked, and has no effect. */
export function refusedLimit(query: URLSearchParams): Failure | undefined {
  const problem = int64Problem(query.get("limit"));
  return problem === undefined ? undefined : badRequest(problem);
}

function refusedMatch(query: URLSearchParams): Failure | undefined {
  if (!query.get("resourceVersionMatch") || query.get("resourceVersion")) return undefined;
  const message = `Forbidden: ${text}`;
  return {
    reason: "Invalid",
    message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${message}`,
    details: {
      group: "meta.k8s.io",
      kind: "ListOptions",
      causes: [{ reason: "FieldValueForbidden", message, field: "resourceVersionMatch" }],
    },
  };
}
