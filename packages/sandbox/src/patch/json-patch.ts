// JSON patch.
import { applyPatch, type Operation } from "rfc6902";
import { badRequest, StatusError } from "../rest/status-error.ts";
import { cloneJson, isRecord, type JsonRecord } from "../storage/json-value.ts";

const verbs = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** RFC 6902. A patch that cannot be applied is 422, a body that is no patch is 400. */
export function jsonPatch(object: JsonRecord, patch: unknown): JsonRecord {
  if (!Array.isArray(patch) || !patch.every(isOperation)) {
    throw badRequest("error decoding patch: a JSON patch is a list of operations");
  }
  const root = cloneJson(object);
  for (const error of applyPatch(root, patch)) {
    if (error === null) continue;
    throw new StatusError({
      code: 422,
      reason: "Invalid",
      message: `the server rejected our request due to an error in our request: ${error.message}`,
      details: {},
    });
  }
  return root;
}

function isOperation(value: unknown): value is Operation {
  return isRecord(value) && verbs.has(String(value["op"])) && typeof value["path"] === "string";
}
