// The JSON Schemas in deploy/schema: those of the CRDs and of the HTTP APIs.
import { cronHpaCrd } from "../../packages/autoscaler/src/testing/crd/cron-hpa.ts";
import { workloadAutoscalerCrd } from "../../packages/autoscaler/src/testing/crd/workload-autoscaler.ts";
import { metricRuleCrd } from "../../packages/metric-rules/src/testing/index.ts";
import { schemasOf } from "./json-schema.ts";

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

/** Documents of the autoscaler's endpoint and of `plimsoll console`. */
const documents = {
  "decisions-summary.v1": ["SummaryPage", "documents.ts"],
  "decisions.v1": ["DecisionList", "documents.ts"],
  "shadow-summary.v1": ["ShadowSummary", "documents.ts"],
} as const;

export function editorSchemas() {
  return Object.fromEntries([
    ...[workloadAutoscalerCrd, cronHpaCrd, metricRuleCrd].flatMap(ofCrd),
    ...schemasOf("packages/decisions", documents).map(({ name, title, schema }) =>
      written(name, title, schema as Schema),
    ),
  ]);
}

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

function written(file: string, title: string, schema: Schema): readonly [string, string] {
  const whole = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: `${site}/${file}.json`,
    title,
    ...schema,
  };
  return [`deploy/schema/${file}.json`, `${JSON.stringify(whole, null, 2)}\n`];
}
