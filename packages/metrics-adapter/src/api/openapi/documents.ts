// The OpenAPI documents of the served APIs.
import { createHash } from "node:crypto";
import { customGroup, externalGroup, resourceGroup } from "../discovery/resources.ts";
import { customSchemas, externalSchemas, resourceSchemas, type Schema, type SchemaSet } from "./schemas.ts";

/** One readable path of an API, relative to /apis/GROUP/VERSION, with the kind of its response. */
interface ApiPath {
  readonly path: string;
  readonly verb: "get" | "list";
  readonly kind: string;
  readonly operation: string;
}

const customPaths: readonly ApiPath[] = [
  path("/{resource}/{name}/{metric}", "get", "MetricValueList", "ClusterMetric"),
  path("/namespaces/{namespace}/{resource}/{name}/{metric}", "get", "MetricValueList", "NamespacedMetric"),
  path("/namespaces/{namespace}/metrics/{metric}", "get", "MetricValueList", "NamespaceMetric"),
];

const externalPaths: readonly ApiPath[] = [
  path("/namespaces/{namespace}/{metric}", "list", "ExternalMetricValueList", "NamespacedExternalMetric"),
];

const resourcePaths: readonly ApiPath[] = [
  path("/nodes", "list", "NodeMetricsList", "NodeMetrics"),
  path("/nodes/{name}", "get", "NodeMetrics", "NodeMetrics"),
  path("/pods", "list", "PodMetricsList", "PodMetricsForAllNamespaces"),
  path("/namespaces/{namespace}/pods", "list", "PodMetricsList", "NamespacedPodMetrics"),
  path("/namespaces/{namespace}/pods/{name}", "get", "PodMetrics", "NamespacedPodMetrics"),
];

function path(template: string, verb: "get" | "list", kind: string, operation: string): ApiPath {
  return { path: template, verb, kind, operation };
}

/** Names in braces, in order. */
function pathParameters(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

export interface OpenApiDocument {
  readonly body: Buffer;
  readonly etag: string;
}

export type OpenApi = ReturnType<typeof createOpenApi>;

interface Api {
  readonly group: string;
  readonly version: string;
  readonly paths: readonly ApiPath[];
  readonly schemas: (ref: (name: string) => Schema) => SchemaSet;
}

const apis: readonly Api[] = [
  {
    group: customGroup,
    version: "v1beta1",
    paths: customPaths,
    schemas: (ref) => customSchemas("v1beta1", ref),
  },
  {
    group: customGroup,
    version: "v1beta2",
    paths: customPaths,
    schemas: (ref) => customSchemas("v1beta2", ref),
  },
  { group: externalGroup, version: "v1beta1", paths: externalPaths, schemas: externalSchemas },
  { group: resourceGroup, version: "v1beta1", paths: resourcePaths, schemas: resourceSchemas },
];

/** The documents change only with the APIs that are served, so each is made once. */
export function createOpenApi(
  served: readonly { readonly group: string; readonly version: string }[],
  version: string,
) {
  const info = { title: "Plimsoll metrics adapter", version: `v${version}` };
  const installed = apis.filter((api) =>
    served.some((entry) => entry.group === api.group && entry.version === api.version),
  );
  const documents = new Map<string, OpenApiDocument>();
  documents.set("/openapi/v2", tagged(swagger(installed, info)));
  const index = new Map<string, { readonly serverRelativeURL: string }>();
  for (const api of installed) {
    const name = `apis/${api.group}/${api.version}`;
    const document = tagged(openApiV3(api, info));
    documents.set(`/openapi/v3/${name}`, document);
    const hash = document.etag.replaceAll('"', "");
    index.set(name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` });
  }
  documents.set("/openapi/v3", tagged({ paths: Object.fromEntries(index) }));
  return {
    /** By request path: /openapi/v2, /openapi/v3 and /openapi/v3/apis/GROUP/VERSION. */
    find: (path: string): OpenApiDocument | undefined => documents.get(path),
  };
}

function tagged(document: object): OpenApiDocument {
  const body = Buffer.from(JSON.stringify(document));
  return { body, etag: `"${createHash("sha256").update(body).digest("hex").toUpperCase()}"` };
}

function swagger(installed: readonly Api[], info: object): object {
  const ref = (name: string): Schema => ({ $ref: `#/definitions/${name}` });
  const sets = installed.map((api) => ({ api, set: api.schemas(ref) }));
  return {
    swagger: "2.0",
    info,
    paths: Object.fromEntries(
      sets.flatMap(({ api, set }) =>
        apiPaths(
          api,
          (kind) => ({
            produces: ["application/json", "application/yaml"],
            schemes: ["https"],
            responses: { 200: { description: "OK", schema: ref(schemaName(set, kind)) } },
          }),
          (name) => ({ name, in: "path", required: true, type: "string", uniqueItems: true }),
        ),
      ),
    ),
    definitions: Object.assign({}, ...sets.map(({ api, set }) => withKinds(api, set))),
  };
}

function openApiV3(api: Api, info: object): object {
  const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
  const set = api.schemas(ref);
  return {
    openapi: "3.0.0",
    info,
    paths: Object.fromEntries(
      apiPaths(
        api,
        (kind) => ({
          responses: {
            200: {
              description: "OK",
              content: { "application/json": { schema: ref(schemaName(set, kind)) } },
            },
          },
        }),
        (name) => ({ name, in: "path", required: true, schema: { type: "string", uniqueItems: true } }),
      ),
    ),
    components: { schemas: withKinds(api, set) },
  };
}

function apiPaths(
  api: Api,
  operation: (kind: string) => object,
  parameter: (name: string) => object,
): readonly (readonly [string, object])[] {
  const { group, version } = api;
  const tag = camelCase(group.split(".")[0] ?? "", version);
  return api.paths.map(({ path, verb, kind, operation: name }) => [
    `/apis/${group}/${version}${path}`,
    {
      get: {
        tags: [tag],
        operationId: `${verb === "get" ? "read" : "list"}${camelCase(group.split(".").join("_"), version)}${name}`,
        ...operation(kind),
        "x-kubernetes-action": verb,
        "x-kubernetes-group-version-kind": { group, version, kind },
      },
      ...(pathParameters(path).length === 0 ? {} : { parameters: pathParameters(path).map(parameter) }),
    },
  ]);
}

function schemaName(set: SchemaSet, kind: string): string {
  return set.kinds.find((entry) => entry.kind === kind)?.name ?? kind;
}

/** The mark by which kubectl finds the schema of a kind. */
function withKinds({ group, version }: Api, set: SchemaSet): Readonly<Record<string, Schema>> {
  const marked = set.kinds.map(({ name, kind }): [string, Schema] => [
    name,
    { ...set.schemas[name], "x-kubernetes-group-version-kind": [{ group, version, kind }] },
  ]);
  return { ...set.schemas, ...Object.fromEntries(marked) };
}

function camelCase(...words: readonly string[]): string {
  return words
    .flatMap((word) => word.split(/[^a-zA-Z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
