/** Just enough of an OpenAPI v3 structural schema to write one down. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly [key: string]: unknown;
}

export interface Rule {
  readonly rule: string;
  readonly message: string;
}

export function object(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  o: { readonly required?: readonly string[]; readonly rules?: readonly Rule[] } = {},
): Schema {
  return {
    type: "object",
    ...described(description),
    properties,
    ...(o.required === undefined ? {} : { required: o.required }),
    ...(o.rules === undefined ? {} : { "x-kubernetes-validations": o.rules }),
  };
}

export function list(description: string, items: Schema, o: Readonly<Record<string, unknown>> = {}): Schema {
  return { type: "array", description, items, ...o };
}

export function text(description: string, o: Readonly<Record<string, unknown>> = {}): Schema {
  return { type: "string", ...described(description), ...o };
}

export function oneOf(
  description: string,
  values: readonly string[],
  o: Readonly<Record<string, unknown>> = {},
) {
  return text(description, { enum: values, ...o });
}

export function int32(description: string, o: Readonly<Record<string, unknown>> = {}): Schema {
  return { type: "integer", format: "int32", description, ...o };
}

export function int64(description: string): Schema {
  return { type: "integer", format: "int64", description };
}

export function quantity(description: string): Schema {
  return {
    description,
    anyOf: [{ type: "integer" }, { type: "string" }],
    pattern:
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    "x-kubernetes-int-or-string": true,
  };
}

export function instant(description: string): Schema {
  return text(description, { format: "date-time" });
}

function described(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}
