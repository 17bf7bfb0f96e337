import { createHash } from "node:crypto";
import { modelOf } from "../resources/builtin-fields.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import type { ApiResponse, BytesResponse, TextResponse } from "../rest/api-context.ts";
import { isRecord, type JsonRecord } from "../storage/json-value.ts";
import { schemaNameOf, schemasOfModel } from "./builtin-schemas.ts";
import { openApiV2Document, openApiV2MediaType } from "./openapi-v2.ts";

/**
 * /openapi/v3, as much of it as kubectl reads: which kinds take fieldValidation and dryRun, and a schema per
 * kind for `kubectl explain`; and /openapi/v2 for kubectl before 1.28.
 */
export function openApiRoutes(registry: ResourceRegistry) {
  return (path: string): ApiResponse | undefined => {
    if (path === "/openapi/v3") return json(indexDocument(registry));
    if (path === "/openapi/v2") return openApiV2(registry);
    const match = /^\/openapi\/v3\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))$/.exec(path);
    if (match === null) return undefined;
    const [, core, group = "", version] = match;
    const found = registry.all().filter((one) => one.group === group && one.version === (core ?? version));
    return found.length === 0 ? undefined : json(groupDocument(found));
  };
}

function json(document: JsonRecord): TextResponse {
  return { type: "text", code: 200, contentType: "application/json", text: JSON.stringify(document) };
}

function openApiV2(registry: ResourceRegistry): BytesResponse {
  return {
    type: "bytes",
    code: 200,
    contentType: openApiV2MediaType,
    bytes: openApiV2Document(registry.all()),
  };
}

function indexDocument(registry: ResourceRegistry): JsonRecord {
  const versions = new Map<string, ResourceDefinition[]>();
  for (const definition of registry.all()) {
    const key = prefixOf(definition).slice(1);
    versions.set(key, [...(versions.get(key) ?? []), definition]);
  }
  const paths = [...versions].map(([key, definitions]) => {
    const hash = createHash("sha256")
      .update(JSON.stringify(groupDocument(definitions)))
      .digest("hex")
      .slice(0, 32);
    return [key, { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

function groupDocument(definitions: readonly ResourceDefinition[]): JsonRecord {
  return {
    openapi: "3.0.0",
    info: { title: "Plimsoll sandbox", version: "v1" },
    paths: Object.assign({}, ...definitions.map(pathsOf)) as JsonRecord,
    components: { schemas: Object.assign({}, ...definitions.map(schemasOf)) as JsonRecord },
  };
}

function prefixOf({ group, version }: ResourceDefinition): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

function pathsOf(definition: ResourceDefinition): JsonRecord {
  const scope = definition.namespaced ? "/namespaces/{namespace}" : "";
  const collection = `${prefixOf(definition)}${scope}/${definition.resource}`;
  const operation = (action: string, extra: JsonRecord = {}): JsonRecord => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kindOf(definition),
    responses: {
      "200": { description: "OK", content: { "application/json": { schema: { $ref: refOf(definition) } } } },
    },
    ...extra,
  });
  const write = { parameters: ["dryRun", "fieldManager", "fieldValidation"].map(queryParameter) };
  return {
    [collection]: { get: operation("list"), post: operation("post", write) },
    [`${collection}/{name}`]: {
      get: operation("get"),
      put: operation("put", write),
      patch: operation("patch", { parameters: [...write.parameters, queryParameter("force")] }),
      delete: operation("delete"),
    },
  };
}

function queryParameter(name: string): JsonRecord {
  return { name, in: "query", schema: { type: name === "force" ? "boolean" : "string", uniqueItems: true } };
}

function schemasOf(definition: ResourceDefinition): JsonRecord {
  const schema =
    definition.custom === undefined
      ? schemasOfModel(modelOf(definition), definition.schema)
      : { [schemaName(definition)]: customSchema(definition, definition.custom.openApiSchema) };
  const root = schema[schemaName(definition)];
  const description = `${definition.kind} as the sandbox keeps it. It has no descriptions of fields: see the API reference of Kubernetes.`;
  return {
    ...schema,
    [schemaName(definition)]: {
      description,
      ...root,
      "x-kubernetes-group-version-kind": [kindOf(definition)],
    },
  };
}

function customSchema(definition: ResourceDefinition, base: unknown): JsonRecord {
  const properties = isRecord(base) && isRecord(base["properties"]) ? base["properties"] : {};
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const text = (description: string): JsonRecord => ({ type: "string", description });
  return {
    type: "object",
    description: isRecord(base) ? (base["description"] ?? "") : "",
    properties: {
      spec: { ...open, description: "What is wanted." },
      ...(definition.hasStatus ? { status: { ...open, description: "What is." } } : {}),
      ...properties,
      apiVersion: text("The version of the schema of this object."),
      kind: text("The REST resource this object represents."),
      metadata: { ...open, description: "Standard object metadata." },
    },
  };
}

function schemaName(definition: ResourceDefinition): string {
  if (definition.custom === undefined) return schemaNameOf(modelOf(definition));
  const { group, version, kind } = definition;
  return `dev.plimsoll.sandbox.${group}.${version}.${kind}`;
}

function refOf(definition: ResourceDefinition): string {
  return `#/components/schemas/${schemaName(definition)}`;
}

function kindOf({ group, version, kind }: ResourceDefinition): JsonRecord {
  return { group, version, kind };
}
