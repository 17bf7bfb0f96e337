// OpenAPI schemas of built-in kinds.
import type { MergeSchema } from "../patch/merge-schema.ts";
import { fieldsOf } from "../resources/builtin-fields.ts";
import type { JsonRecord } from "../storage/json-value.ts";

/** Formats that are not strings in JSON. */
const scalars: Readonly<Record<string, JsonRecord>> = {
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  boolean: { type: "boolean" },
  "int-or-string": { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** Fields of which a strategic merge patch says what to keep. */
const retained = new Set(["V1DeploymentSpec.strategy", "V1PodSpec.volumes"]);

/**
 * OpenAPI v3 schemas of a model and of all that it refers to, by their names. With the keys by which lists merge,
 * which kubectl makes its patches by; without descriptions and required fields.
 */
export function schemasOfModel(model: string, merge: MergeSchema): Readonly<Record<string, JsonRecord>> {
  const schemas: Record<string, JsonRecord> = {};
  const add = (name: string, parent: string): void => {
    const fields = fieldsOf(name);
    if (fields === undefined || schemaNameOf(name) in schemas) return;
    const properties: Record<string, JsonRecord> = {};
    schemas[schemaNameOf(name)] = { type: "object", properties };
    for (const [field, type] of Object.entries(fields)) {
      properties[field] = { ...schemaOfType(type), ...merging(`${name}.${field}`, [parent, field]) };
      add(type.replace(/^(?:\[\]|\{\})+/, ""), field);
    }
  };
  const merging = (place: string, [parent = "", field = ""]: readonly string[]): JsonRecord => {
    const how = merge.merging(parent === "" ? [field] : [parent, field], []);
    const strategies = [
      ...(how.kind === "map" || how.kind === "set" ? ["merge"] : []),
      ...(retained.has(place) ? ["retainKeys"] : []),
    ];
    return {
      ...(how.kind === "map" ? { "x-kubernetes-patch-merge-key": how.strategicKey } : {}),
      ...(strategies.length === 0 ? {} : { "x-kubernetes-patch-strategy": strategies.join(",") }),
    };
  };
  add(model, "");
  return schemas;
}

/** Its last part is what `kubectl explain` shows as the type. */
export function schemaNameOf(model: string): string {
  return `dev.plimsoll.sandbox.${model}.${model.replace(/^(?:[A-Z][a-z]+)?V\d+/, "")}`;
}

function schemaOfType(type: string): JsonRecord {
  if (type.startsWith("[]")) return { type: "array", items: schemaOfType(type.slice(2)) };
  if (type.startsWith("{}")) return { type: "object", additionalProperties: schemaOfType(type.slice(2)) };
  if (fieldsOf(type) !== undefined)
    return { allOf: [{ $ref: `#/components/schemas/${schemaNameOf(type)}` }] };
  return scalars[type] ?? { type: "string", ...(type === "string" ? {} : { format: type }) };
}
