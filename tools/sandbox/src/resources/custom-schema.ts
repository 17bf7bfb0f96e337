import { type FieldProblem, invalid, notSupported, required } from "../errors/field-problem.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { cloneJson, isRecord, type JsonRecord } from "../storage/json-value.ts";

const topLevel = new Set(["apiVersion", "kind", "metadata"]);

/** Fills in `default` of a structural schema, as the API server does on every write. */
export function applySchemaDefaults(object: ApiObject, schema: unknown): void {
  if (isRecord(schema)) defaultInto(object, schema);
}

function defaultInto(value: unknown, schema: JsonRecord): void {
  if (Array.isArray(value)) {
    const items = schema["items"];
    if (isRecord(items)) for (const item of value) defaultInto(item, items);
    return;
  }
  if (!isRecord(value)) return;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  for (const [key, property] of Object.entries(properties)) {
    if (!isRecord(property)) continue;
    if (value[key] === undefined && property["default"] !== undefined)
      value[key] = cloneJson(property["default"]);
    defaultInto(value[key], property);
  }
  const additional = schema["additionalProperties"];
  if (!isRecord(additional)) return;
  for (const [key, item] of Object.entries(value)) if (!(key in properties)) defaultInto(item, additional);
}

/** Drops unknown fields, then reports what the schema's types, bounds, enums and required lists refuse. */
export function pruneAndCheck(object: ApiObject, schema: unknown): readonly FieldProblem[] {
  if (!isRecord(schema)) return [];
  const problems: FieldProblem[] = [];
  visit(object, schema, { field: "", root: true, problems });
  return problems;
}

interface Visit {
  readonly field: string;
  readonly root: boolean;
  readonly problems: FieldProblem[];
}

function visit(value: unknown, schema: JsonRecord, at: Visit): void {
  if (value === null && schema["nullable"] === true) return;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  if (!intOrString && !hasType(value, schema["type"])) {
    const detail = `${at.field} in body must be of type ${String(schema["type"])}: ${JSON.stringify(typeName(value))}`;
    at.problems.push(invalid(at.field, typeName(value), detail));
    return;
  }
  if (Array.isArray(value)) visitList(value, schema, at);
  else if (isRecord(value)) visitMap(value, schema, at);
  else checkScalar(value, schema, at);
}

function visitList(value: readonly unknown[], schema: JsonRecord, at: Visit): void {
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === "number" && value.length < minItems) {
    at.problems.push(
      invalid(at.field, value.length, `${at.field} in body should have at least ${minItems} items`),
    );
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    at.problems.push(
      invalid(at.field, value.length, `${at.field} in body should have at most ${maxItems} items`),
    );
  }
  if (!isRecord(items)) return;
  for (const [index, item] of value.entries()) {
    visit(item, items, { ...at, field: `${at.field}[${index}]`, root: false });
  }
}

function visitMap(value: JsonRecord, schema: JsonRecord, at: Visit): void {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const additional = schema["additionalProperties"];
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true || additional === true;
  const embedded = at.root || schema["x-kubernetes-embedded-resource"] === true;
  const child = (key: string): Visit => ({
    field: at.field === "" ? key : `${at.field}.${key}`,
    root: false,
    problems: at.problems,
  });
  const wanted = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  for (const key of wanted) if (value[key] === undefined) at.problems.push(required(child(key).field));
  for (const [key, item] of Object.entries(value)) {
    if (embedded && topLevel.has(key)) continue;
    const property = properties[key];
    if (isRecord(property)) visit(item, property, child(key));
    else if (isRecord(additional)) visit(item, additional, child(key));
    else if (!open) delete value[key];
  }
}

function checkScalar(value: unknown, schema: JsonRecord, at: Visit): void {
  const allowed = schema["enum"];
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    at.problems.push(notSupported(at.field, value, allowed.map(String)));
  }
  const { minimum, maximum, pattern, minLength } = schema;
  if (typeof value === "number" && typeof minimum === "number" && value < minimum) {
    at.problems.push(
      invalid(at.field, value, `${at.field} in body should be greater than or equal to ${minimum}`),
    );
  }
  if (typeof value === "number" && typeof maximum === "number" && value > maximum) {
    at.problems.push(
      invalid(at.field, value, `${at.field} in body should be less than or equal to ${maximum}`),
    );
  }
  if (typeof value === "string" && typeof minLength === "number" && value.length < minLength) {
    at.problems.push(
      invalid(at.field, value, `${at.field} in body should be at least ${minLength} chars long`),
    );
  }
  if (typeof value === "string" && typeof pattern === "string" && !new RegExp(pattern, "u").test(value)) {
    at.problems.push(invalid(at.field, value, `${at.field} in body should match '${pattern}'`));
  }
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    default:
      return true;
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  return typeof value;
}
