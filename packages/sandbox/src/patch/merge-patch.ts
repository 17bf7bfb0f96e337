// JSON merge patch.
import { badRequest } from "../rest/status-error.ts";
import { isRecord, type JsonRecord } from "../storage/json-value.ts";

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
