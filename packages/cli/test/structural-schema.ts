/** What a CustomResourceDefinition's schema says of an object, as far as JSON Schema goes: not its CEL rules. */

export interface StructuralSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** Every violation with its path; a field that the schema does not name is one too, as for kubectl. */
export function violations(value: unknown, schema: StructuralSchema, path = ""): readonly string[] {
  const here = (message: string) => `${path}: ${message}`;
  if (schema["x-kubernetes-int-or-string"] === true) {
    const isEither = Number.isInteger(value) || typeof value === "string";
    if (!isEither) return [here("is neither integer nor text")];
    const isRight = typeof value !== "string" || new RegExp(schema.pattern ?? "").test(value);
    return isRight ? [] : [here("does not match")];
  }
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [here(`is none of ${schema.enum.join()}`)];
  return ofType(value, schema, path);
}

function ofType(value: unknown, schema: StructuralSchema, path: string): readonly string[] {
  const here = (message: string) => `${path}: ${message}`;
  switch (schema.type) {
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? ofObject(value as Readonly<Record<string, unknown>>, schema, path)
        : [here("is not an object")];
    case "array":
      if (!Array.isArray(value)) return [here("is not a list")];
      return [
        ...(isWithin(value.length, schema.minItems, schema.maxItems)
          ? []
          : [here("has a wrong number of items")]),
        ...value.flatMap((item, index) => violations(item, schema.items ?? {}, `${path}[${index}]`)),
      ];
    case "integer":
      return Number.isInteger(value) && isWithin(Number(value), schema.minimum, schema.maximum)
        ? []
        : [here("is not an integer in range")];
    case "string":
      if (typeof value !== "string") return [here("is not a string")];
      return isWithin(value.length, schema.minLength, schema.maxLength) ? [] : [here("has a wrong length")];
    case undefined:
    default:
      return [];
  }
}

function isWithin(value: number, min = -Infinity, max = Infinity): boolean {
  return value >= min && value <= max;
}

function ofObject(
  value: Readonly<Record<string, unknown>>,
  { properties, additionalProperties, required = [] }: StructuralSchema,
  path: string,
): readonly string[] {
  const missing = required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => `${path}.${key}: is missing`);
  if (properties === undefined && additionalProperties === undefined) return missing;
  return [
    ...missing,
    ...Object.entries(value).flatMap(([key, item]) => {
      const schema = properties?.[key] ?? additionalProperties;
      return schema === undefined
        ? [`${path}.${key}: is not a field`]
        : violations(item, schema, `${path}.${key}`);
    }),
  ];
}
