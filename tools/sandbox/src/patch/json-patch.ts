// JSON patch and JSON merge patch.
import { isPatchOperation } from "@plimsoll/core/internal/values";
import { applyPatch, type Operation } from "rfc6902";
import { badRequest, StatusError } from "../errors/status-error.ts";
import { cloneJson, isRecord, type JsonRecord } from "../storage/json-value.ts";

/** RFC 6902. A patch that cannot be applied is 422, a body that is no patch is 400. */
export function jsonPatch(object: JsonRecord, patch: unknown): JsonRecord {
  if (!Array.isArray(patch) || !patch.every(isPatchOperation)) {
    throw badRequest("error decoding patch: a JSON patch is a list of operations");
  }
  const root = cloneJson(object);
  for (const error of applyPatch(root, patch as Operation[])) {
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

/** RFC 7386. */
export function mergePatch(object: JsonRecord, patch: unknown): JsonRecord {
  if (!isRecord(patch)) throw badRequest("error decoding patch: a merge patch is an object");
  return merged(object, patch);
}

function merged(target: unknown, patch: JsonRecord): JsonRecord {
  const result: JsonRecord = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = isRecord(value) ? merged(result[key], value) : value;
  }
  return result;
}
