// The fields of built-in kinds, for pruning and validation.
import { isRecord, type JsonRecord } from "../storage/json-value.ts";
import builtinFields from "./builtin-fields.json" with { type: "json" };

const models: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = builtinFields;

/** The name that Kubernetes' client has for a built-in kind. */
export function modelOf({ group, version, kind }: { group: string; version: string; kind: string }): string {
  const name = `${version.slice(0, 1).toUpperCase()}${version.slice(1)}${kind}`;
  if (kind === "Event") return group === "" ? `Core${name}` : `Events${name}`;
  return name;
}

/** Types of the fields of a model, "[]" and "{}" before the type of the items of lists and maps. */
export function fieldsOf(model: string): Readonly<Record<string, string>> | undefined {
  return Object.hasOwn(models, model) ? models[model] : undefined;
}

/** Drops what the type does not have, as the API server does when it decodes; their paths, in order. */
export function dropUnknown(value: unknown, type: string, path = ""): readonly string[] {
  const under = (key: string) => (path === "" ? key : `${path}.${key}`);
  if (type.startsWith("[]")) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => dropUnknown(item, type.slice(2), `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  if (type.startsWith("{}")) {
    return Object.entries(value).flatMap(([key, item]) => dropUnknown(item, type.slice(2), under(key)));
  }
  const fields = fieldsOf(type);
  if (fields === undefined) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) return dropUnknown(item, field, under(key));
    delete value[key];
    return [under(key)];
  });
}

/** Paths that a structural schema neither has nor preserves, in the order of their names, as the API server sorts them. */
export function unknownOfSchema(value: unknown, schema: unknown, path = ""): readonly string[] {
  if (!isRecord(schema)) return [];
  const under = (key: string) => (path === "" ? key : `${path}.${key}`);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => unknownOfSchema(item, schema["items"], `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((key) => {
      if (isOfEveryObject(key, schema, path)) return [];
      const field = fieldOfSchema(schema, key);
      if (field !== undefined) return unknownOfSchema(value[key], field, under(key));
      return isOpen(schema) ? [] : [under(key)];
    });
}

function isOfEveryObject(key: string, schema: JsonRecord, path: string): boolean {
  const isObject = path === "" || schema["x-kubernetes-embedded-resource"] === true;
  return isObject && (key === "apiVersion" || key === "kind" || key === "metadata");
}

function fieldOfSchema(schema: JsonRecord, key: string): unknown {
  const { properties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

function isOpen(schema: JsonRecord): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema["additionalProperties"] === true;
}
