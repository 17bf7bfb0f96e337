// Reads a PATCH request and computes the patched object.
import { serverSideApply } from "../apply/server-side-apply.ts";
import { badRequest, notFound, unsupportedMediaType } from "../errors/status-error.ts";
import { jsonPatch, mergePatch } from "../patch/json-patch.ts";
import { strategicMergePatch } from "../patch/strategic-merge.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { cloneJson, isRecord, type JsonRecord } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiRequest } from "./api-context.ts";
import { validateApplied } from "./field-validation.ts";
import { asApiObject } from "./object-metadata.ts";
import { decodeJson, decodeYaml, mediaType } from "./request-body.ts";
import type { WriteOptions } from "./write-object.ts";

const applyTypes = new Set(["application/apply-patch+yaml", "application/apply-patch+json"]);

export interface PatchInput {
  readonly definition: ResourceDefinition;
  /** In the served version; undefined when there is no object yet, which only apply allows. */
  readonly current: StoredObject | undefined;
  readonly name: string;
  readonly request: ApiRequest;
  readonly options: WriteOptions;
}

/** A parsed PATCH request. */
export interface Patched {
  readonly object: ApiObject;
  /** By server-side apply, so its managed fields are settled. */
  readonly applied: boolean;
  /** A strategic merge patch. */
  readonly patch?: unknown;
}

export function patchedObject(input: PatchInput): Patched {
  const { definition, current, request } = input;
  const type = mediaType(request.headers["content-type"]);
  if (applyTypes.has(type)) return { object: applyObject(input), applied: true };
  if (!(type in patchers) || (type === strategicType && !definition.strategicMerge)) {
    throw unsupportedMediaType([...Object.keys(patchers), ...applyTypes]);
  }
  if (current === undefined) throw notFound(definition, input.name);
  const before = cloneJson(current) as unknown as JsonRecord;
  const patch = decodeJson(request.body);
  const after = applyPatchOf(type, before, { patch, definition });
  const strategic = type === strategicType ? { patch } : {};
  return { object: asApiObject(after, definition), applied: false, ...strategic };
}

/** The same for a value that is not a stored object, such as a Scale. */
export function patchedValue(
  value: JsonRecord,
  definition: ResourceDefinition,
  request: ApiRequest,
): JsonRecord {
  const type = mediaType(request.headers["content-type"]);
  if (applyTypes.has(type)) {
    const applied = decodeYaml(request.body);
    return mergePatch(value, applied);
  }
  if (!(type in patchers)) throw unsupportedMediaType(Object.keys(patchers));
  return applyPatchOf(type, value, { patch: decodeJson(request.body), definition });
}

const strategicType = "application/strategic-merge-patch+json";
type Patcher = (value: JsonRecord, patch: unknown, definition: ResourceDefinition) => JsonRecord;
const patchers: Readonly<Record<string, Patcher>> = {
  "application/json-patch+json": jsonPatch,
  "application/merge-patch+json": mergePatch,
  [strategicType]: (value, patch, definition) => strategicMergePatch(value, patch, definition.schema),
};

function applyPatchOf(
  type: string,
  value: JsonRecord,
  input: { patch: unknown; definition: ResourceDefinition },
): JsonRecord {
  const patcher = patchers[type];
  if (patcher === undefined) throw unsupportedMediaType(Object.keys(patchers));
  return patcher(value, input.patch, input.definition);
}

function applyObject({ definition, current, request, options, name }: PatchInput): ApiObject {
  const body = decodeYaml(request.body);
  if (!isRecord(body)) throw badRequest("error decoding YAML: an apply configuration is an object");
  const manager = request.query.get("fieldManager") ?? "";
  if (manager === "")
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  const configuration = asApiObject(body, definition);
  if (configuration.metadata.managedFields !== undefined) {
    throw badRequest("metadata.managedFields must be nil");
  }
  configuration.metadata.name ??= name;
  validateApplied(configuration, definition);
  return serverSideApply(current, configuration, {
    schema: definition.schema,
    writer: options.writer,
    force: request.query.get("force") === "true",
  });
}
