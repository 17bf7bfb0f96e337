// Tables of the fields of an OpenAPI schema, as pages of docs show them.

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-validations"?: readonly { readonly message?: string; readonly rule: string }[];
}

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Where fields were listed first, by what they are: a page lists equal ones once. */
export type Listed = Map<string, string>;

/** A section for `spec`, say, and one for each of its fields that has fields itself. */
export function sectionsOf(name: string, schema: Schema, listed: Listed): readonly string[] {
  const fields = childrenOf("", schema);
  const nested = fields.filter(({ schema: one }) => childrenOf("", one).length > 0);
  for (const { path, schema: one } of nested) listed.set(fieldsKey(one), path);
  return [
    `## ${name}`,
    "",
    ...(schema.description === undefined ? [] : [schema.description, ""]),
    ...tableOf(fields.map((field) => ({ ...field, sameAs: undefined }))),
    ...rulesOf(ownRules(schema)),
    ...nested.flatMap((field) => [
      `### ${name}.${field.path}`,
      "",
      ...tableOf(descendantsOf(field, listed)),
      ...rulesOf(validationsOf(field.schema)),
    ]),
  ];
}

interface Row extends Field {
  /** The field that has the same fields, which are listed there. */
  readonly sameAs: string | undefined;
}

function descendantsOf({ path, schema }: Field, listed: Listed): readonly Row[] {
  return childrenOf(path, schema).flatMap((field) => {
    const key = fieldsKey(field.schema);
    const sameAs = listed.get(key);
    if (sameAs !== undefined) return [{ ...field, sameAs }];
    if (childrenOf("", field.schema).length > 1) listed.set(key, field.path);
    return [{ ...field, sameAs }, ...descendantsOf(field, listed)];
  });
}

function fieldsKey(schema: Schema): string {
  return JSON.stringify(childrenOf("", schema));
}

/** Direct fields, of an item where the schema is of a list. */
function childrenOf(path: string, schema: Schema): readonly Field[] {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return childrenOf(`${path}[]`, items);
  if (typeof additionalProperties === "object" && additionalProperties.properties !== undefined)
    return childrenOf(`${path}.*`, additionalProperties);
  return Object.entries(schema.properties ?? {}).map(([name, one]) => ({
    path: path === "" ? name : `${path}.${name}`,
    schema: one,
    isRequired: schema.required?.includes(name) === true,
  }));
}

function tableOf(fields: readonly Row[]): readonly string[] {
  const rows = fields.map(({ path, schema, isRequired, sameAs }) => {
    const meaning = [
      isRequired ? "**Required.**" : "",
      cell(schema.description ?? ""),
      boundsOf(schema),
      schema.default === undefined ? "" : `Default: \`${JSON.stringify(schema.default)}\`.`,
      sameAs === undefined ? "" : `Fields: as in \`${sameAs}\`.`,
    ];
    return `| \`${path}\` | ${typeOf(schema)} | ${meaning.filter((part) => part !== "").join(" ")} |`;
  });
  return ["| field | type | meaning |", "| --- | --- | --- |", ...rows, ""];
}

/** Rules over several fields. */
function rulesOf(all: readonly string[]): readonly string[] {
  const messages = [...new Set(all)];
  if (messages.length === 0) return [];
  return ["The API server also checks:", "", ...messages.map((message) => `- ${cell(message)}`), ""];
}

function ownRules(schema: Schema): readonly string[] {
  return (schema["x-kubernetes-validations"] ?? []).map(({ message, rule }) => message ?? `\`${rule}\``);
}

/** Of an object or the items of a list, and of all below. */
function validationsOf(schema: Schema): readonly string[] {
  const below = childrenOf("", schema).flatMap(({ schema: one }) => validationsOf(one));
  return [...ownRules(schema), ...below, ...(schema.items === undefined ? [] : ownRules(schema.items))];
}

function typeOf(schema: Schema): string {
  if (schema["x-kubernetes-int-or-string"] === true)
    return schema["maxLength"] === 15 ? "integer or string" : "quantity";
  const { type = "any", items, additionalProperties, format } = schema;
  if (type === "array") return `list of ${items === undefined ? "any" : typeOf(items)}`;
  if (type === "object" && typeof additionalProperties === "object")
    return `map of ${typeOf(additionalProperties)}`;
  return format === "date-time" ? "time" : type;
}

/** Of every name in Kubernetes, and of quantities. */
const usualLengths: ReadonlySet<number> = new Set([253, 128]);

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minItems, maxItems, maxLength } = schema;
  const range = [
    schema.enum === undefined ? "" : `One of ${schema.enum.map((one) => `\`${String(one)}\``).join(", ")}.`,
    between(minimum, maximum, ""),
    between(minItems, maxItems, " items"),
    maxLength === undefined || usualLengths.has(maxLength) ? "" : `At most ${maxLength} characters.`,
  ];
  return range.filter((part) => part !== "").join(" ");
}

function between(min: number | undefined, max: number | undefined, unit: string): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}.`;
  if (min !== undefined) return `At least ${min}${unit}.`;
  return max === undefined ? "" : `At most ${max}${unit}.`;
}

/** Text that stays in its cell, and that no renderer takes for a tag. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
