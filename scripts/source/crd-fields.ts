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

/** A section for `spec`, say, and one for each of its fields that has fields itself. */
export function sectionsOf(name: string, schema: Schema): readonly string[] {
  const fields = childrenOf("", schema);
  const nested = fields.filter(({ schema: one }) => childrenOf("", one).length > 0);
  return [
    `## ${name}`,
    "",
    ...(schema.description === undefined ? [] : [schema.description, ""]),
    ...tableOf(fields),
    ...rulesOf(schema),
    ...nested.flatMap((field) => [
      `### ${name}.${field.path}`,
      "",
      field.schema.description ?? "",
      "",
      ...tableOf(descendantsOf(field)),
      ...rulesOf(field.schema),
    ]),
  ];
}

function descendantsOf({ path, schema }: Field): readonly Field[] {
  return childrenOf(path, schema).flatMap((field) => [field, ...descendantsOf(field)]);
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

function tableOf(fields: readonly Field[]): readonly string[] {
  const rows = fields.map(({ path, schema, isRequired }) => {
    const meaning = [isRequired ? "**required**;" : "", cell(schema.description ?? ""), boundsOf(schema)];
    const standard = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
    return `| \`${path}\` | ${typeOf(schema)} | ${standard} | ${meaning.filter((part) => part !== "").join(" ")} |`;
  });
  return ["| field | type | default | meaning |", "| --- | --- | --- | --- |", ...rows, ""];
}

/** Rules over several fields, of an object and of all below it. */
function rulesOf(schema: Schema): readonly string[] {
  const messages = [...new Set(validationsOf(schema))];
  if (messages.length === 0) return [];
  return ["The API server also checks:", "", ...messages.map((message) => `- ${cell(message)}`), ""];
}

function validationsOf(schema: Schema): readonly string[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map(({ message, rule }) => message ?? `\`${rule}\``);
  return [
    ...own,
    ...childrenOf("", schema).flatMap(({ schema: one }) => validationsOf(one)),
    ...itemRules(schema),
  ];
}

/** Of the items of a list themselves. */
function itemRules({ items }: Schema): readonly string[] {
  return (items?.["x-kubernetes-validations"] ?? []).map(({ message, rule }) => message ?? `\`${rule}\``);
}

function typeOf(schema: Schema): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "quantity";
  const { type = "any", items, additionalProperties, format } = schema;
  if (type === "array") return `list of ${items === undefined ? "any" : typeOf(items)}`;
  if (type === "object" && typeof additionalProperties === "object")
    return `map of ${typeOf(additionalProperties)}`;
  return format === "date-time" ? "time" : type;
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minItems, maxItems, maxLength } = schema;
  const range = [
    schema.enum === undefined ? "" : `One of ${schema.enum.map((one) => `\`${String(one)}\``).join(", ")}.`,
    between(minimum, maximum, ""),
    between(minItems, maxItems, " items"),
    maxLength === undefined ? "" : `At most ${maxLength} characters.`,
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
