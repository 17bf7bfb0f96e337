// Builds OpenAPI v3 structural schemas for the CRDs.

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
  options: { readonly required?: readonly string[]; readonly rules?: readonly Rule[] } = {},
): Schema {
  return {
    type: "object",
    ...described(description),
    properties,
    ...(options.required === undefined ? {} : { required: options.required }),
    ...(options.rules === undefined ? {} : { "x-kubernetes-validations": options.rules }),
  };
}

export function list(
  description: string,
  items: Schema,
  rest: Readonly<Record<string, unknown>> = {},
): Schema {
  return { type: "array", description, items, ...rest };
}

export function text(description: string, rest: Readonly<Record<string, unknown>> = {}): Schema {
  return { type: "string", ...described(description), ...rest };
}

export function oneOf(
  description: string,
  values: readonly string[],
  rest: Readonly<Record<string, unknown>> = {},
) {
  return text(description, { enum: values, ...rest });
}

export function int32(description: string, rest: Readonly<Record<string, unknown>> = {}): Schema {
  return { type: "integer", format: "int32", description, ...rest };
}

export function int64(description: string): Schema {
  return { type: "integer", format: "int64", description };
}

export function quantity(description: string): Schema {
  return {
    description,
    anyOf: [{ type: "integer" }, { type: "string" }],
    maxLength: 128,
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
