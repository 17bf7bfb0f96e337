// Writes the JSON Schemas that have another source: those of the CRDs and of the HTTP APIs; with --check it reports old ones.
import { join } from "node:path";
import { createGenerator } from "ts-json-schema-generator";
import { root } from "./source/files.ts";
import { generate } from "./source/generated.ts";

const site = "https://plimsoll.dev/schemas";

type Schema = Readonly<Record<string, unknown>>;

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const source = (name: string) => new URL(`../packages/${name}.ts`, import.meta.url).href;
const { workloadAutoscalerCrd } = (await import(
  source("autoscaler/src/objects/crd/workload-autoscaler")
)) as { readonly workloadAutoscalerCrd: Definition };
const { cronHpaCrd } = (await import(source("autoscaler/src/objects/crd/cron-hpa"))) as {
  readonly cronHpaCrd: Definition;
};
const { metricRuleCrd } = (await import(source("metric-rules/src/kind/crd"))) as {
  readonly metricRuleCrd: Definition;
};

/** Draft 7: what only Kubernetes reads is left out; a field that the CRD does not have is wrong, as for `kubectl --validate=strict`. */
function draft7(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  const plain = Object.entries(schema).filter(
    ([key, value]) =>
      !key.startsWith("x-kubernetes-") && key !== "nullable" && (key !== "format" || value === "date-time"),
  );
  const isAny = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  const type = isEither ? ["integer", "string"] : schema["type"];
  const all = Object.fromEntries(plain);
  return {
    ...all,
    ...(type === undefined ? {} : { type: schema["nullable"] === true ? [type, "null"].flat() : type }),
    ...(properties === undefined
      ? {}
      : { properties: eachOf(properties as Readonly<Record<string, Schema>>, schema["required"]) }),
    ...(properties === undefined || isAny ? {} : { additionalProperties: false }),
    ...(items === undefined ? {} : { items: draft7(items as Schema) }),
    ...(typeof additionalProperties === "object" && additionalProperties !== null
      ? { additionalProperties: draft7(additionalProperties as Schema) }
      : {}),
  };
}

function eachOf(properties: Readonly<Record<string, Schema>>, required: unknown = []): Schema {
  const isRequired = new Set(required as readonly string[]);
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [
      key,
      isRequired.has(key) ? draft7(schema) : orNull(draft7(schema)),
    ]),
  );
}

/** The API server takes a field without a value, `minReplicas:`, for one that is not there. */
function orNull(schema: Schema): Schema {
  const types = [schema["type"] ?? []].flat();
  const { enum: words, anyOf } = schema as {
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly unknown[];
  };
  return {
    ...schema,
    ...(types.length === 0 || types.includes("null") ? {} : { type: [...types, "null"] }),
    ...(words === undefined || words.includes(null) ? {} : { enum: [...words, null] }),
    ...(anyOf === undefined ? {} : { anyOf: [...anyOf, { type: "null" }] }),
  };
}

function ofCrd({ spec }: Definition): readonly (readonly [file: string, text: string])[] {
  const { group, names, versions } = spec;
  return versions.map(({ name, schema }) => {
    const body = draft7(schema.openAPIV3Schema);
    const file = `${names.kind.toLowerCase()}.${name}`;
    const properties = {
      ...(body["properties"] as Schema),
      apiVersion: { const: `${group}/${name}` },
      kind: { const: names.kind },
      metadata: { type: "object", description: "Standard object metadata." },
    };
    const required = new Set(["apiVersion", "kind", ...((body["required"] as readonly string[]) ?? [])]);
    return written(file, names.kind, { ...body, properties, required: [...required] });
  });
}

const api = join(root, "packages", "console");
/** Documents of the autoscaler's endpoint and of `plimsoll console`, by path. */
const documents = {
  "decisions-summary.v1": "SummaryPage",
  "decisions.v1": "DecisionList",
  "shadow-summary.v1": "ShadowSummary",
} as const;

const ofApis = Object.entries(documents).map(([file, type]) => {
  const schema = createGenerator({
    path: join(api, "src", "data", "api.ts"),
    tsconfig: join(api, "tsconfig.json"),
    type,
    // Fields are added within one version.
    additionalProperties: true,
    functions: "hide",
    skipTypeCheck: true,
  }).createSchema(type);
  return written(file, type, schema as Schema);
});

function written(file: string, title: string, schema: Schema): readonly [string, string] {
  const whole = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: `${site}/${file}.json`,
    title,
    ...schema,
  };
  return [`deploy/schema/${file}.json`, `${JSON.stringify(whole, null, 2)}\n`];
}

const files = [...[workloadAutoscalerCrd, cronHpaCrd, metricRuleCrd].flatMap(ofCrd), ...ofApis];
generate(Object.fromEntries(files) as Record<string, string>, "the CRDs and the types of the HTTP APIs");
