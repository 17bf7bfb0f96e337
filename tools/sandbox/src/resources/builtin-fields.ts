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
  return drop(value, type).map((under) => (path === "" ? under.replace(/^\./, "") : path + under));
}

const none: readonly string[] = [];

/** The paths begin with what is before a field. They are made only when something is dropped, which is seldom. */
function drop(value: unknown, type: string): readonly string[] {
  if (typeof value !== "object" || value === null) return none;
  if (type.startsWith("[]")) return Array.isArray(value) ? dropFromList(value, type.slice(2)) : none;
  if (Array.isArray(value)) return none;
  const record = value as JsonRecord;
  if (type.startsWith("{}")) return dropFromRecord(record, () => type.slice(2));
  const fields = fieldsOf(type);
  if (fields === undefined) return none;
  return dropFromRecord(record, (key) => (Object.hasOwn(fields, key) ? fields[key] : undefined));
}

function dropFromList(list: readonly unknown[], type: string): readonly string[] {
  let found = none;
  for (const [index, item] of list.entries()) {
    const under = drop(item, type);
    if (under.length > 0) found = [...found, ...under.map((rest) => `[${index}]${rest}`)];
  }
  return found;
}

function dropFromRecord(record: JsonRecord, typeOf: (key: string) => string | undefined): readonly string[] {
  let found = none;
  for (const key of Object.keys(record)) {
    const type = typeOf(key);
    if (type === undefined) delete record[key];
    const under = type === undefined ? [""] : drop(record[key], type);
    if (under.length > 0) found = [...found, ...under.map((rest) => `.${key}${rest}`)];
  }
  return found;
}

/** Paths that a structural schema neither has nor preserves. */
export function unknownOfSchema(object: unknown, schema: unknown): readonly string[] {
  return unknownOf(object, schema, true).map((under) => under.replace(/^\./, ""));
}

function unknownOf(value: unknown, schema: unknown, isRoot = false): readonly string[] {
  if (!isRecord(schema) || typeof value !== "object" || value === null) return none;
  let found = none;
  const add = (step: string, under: readonly string[]): void => {
    if (under.length > 0) found = [...found, ...under.map((rest) => step + rest)];
  };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) add(`[${index}]`, unknownOf(item, schema["items"]));
    return found;
  }
  const isObject = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  for (const key of Object.keys(value)) {
    if (isObject && ofEveryObject.has(key)) continue;
    const field = fieldOfSchema(schema, key);
    if (field !== undefined) add(`.${key}`, unknownOf((value as JsonRecord)[key], field));
    else if (!isOpen(schema)) add(`.${key}`, [""]);
  }
  return found;
}

const ofEveryObject = new Set(["apiVersion", "kind", "metadata"]);

function fieldOfSchema(schema: JsonRecord, key: string): unknown {
  const { properties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

function isOpen(schema: JsonRecord): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema["additionalProperties"] === true;
}
