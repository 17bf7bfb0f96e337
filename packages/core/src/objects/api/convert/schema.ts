import { isFields, textOf } from "../../../values/fields.ts";
import { formatQuantity } from "../../../values/quantity/format.ts";
import { quantityOf } from "../../../values/quantity/milli.ts";
import { formatInstant, instantMs } from "../../../values/time/rfc3339.ts";

/** The object, or the requested version, cannot be converted; `path` says where. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(path === "" ? message : `${path}: ${message}`);
    this.path = path;
  }
}

/** Plain JSON in the making. */
export type Json = { [key: string]: unknown };

/** The shape of a value as the API's types have it; what a shape does not name is dropped. */
export type Shape =
  | "string"
  | "integer"
  | "int64"
  | "boolean"
  | "any"
  | "quantity"
  | "int-or-string"
  | "time"
  | "strings"
  | "map"
  | { readonly [field: string]: Shape }
  | readonly [Shape];

/**
 * A copy of `value` in the given shape: quantities canonical, times in whole seconds, null as absent. Undefined
 * for what is absent.
 *
 * @throws ConversionError when something has another type than the API's.
 */
export function decode(shape: Shape, value: unknown, path: string): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof shape === "object")
    return Array.isArray(shape) ? decodeList(shape, value, path) : decodeObject(shape, value, path);
  const scalar = decodeScalar(shape, value);
  if (scalar === undefined) throw new ConversionError(path, `is not of type ${shape}`);
  return scalar;
}

/** Undefined for what has another type. */
export function decodeScalar(shape: Shape & string, value: unknown): unknown {
  return decoders[shape]?.(value);
}

const decoders: Readonly<Record<Shape & string, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === "string" ? value : undefined),
  integer: (value) => (typeof value === "number" && value === (value | 0) ? value : undefined),
  int64: (value) => (Number.isSafeInteger(value) ? value : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  any: (value) => value,
  quantity(value) {
    const quantity = quantityOf(value);
    return quantity === undefined ? undefined : formatQuantity(quantity);
  },
  "int-or-string": (value) => (typeof value === "string" ? value : decodeScalar("integer", value)),
  time(value) {
    const ms = instantMs(value);
    return ms === undefined ? undefined : formatInstant(ms);
  },
  strings: (value) => (Array.isArray(value) && value.every(isText) ? value.map(textOf) : undefined),
  map: decodeMap,
};

/** Go reads null into an empty string. */
function isText(value: unknown): boolean {
  return typeof value === "string" || value === null;
}

function decodeMap(value: unknown): unknown {
  if (!isFields(value)) return undefined;
  if (!Object.values(value).every(isText)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, textOf(item)]));
}

function decodeList(shape: readonly Shape[], value: unknown, path: string): unknown {
  const [item] = shape;
  if (!Array.isArray(value) || item === undefined) throw new ConversionError(path, "is not a list");
  return value.map((entry, i) => decode(item, entry, `${path}[${i}]`) ?? {});
}

function decodeObject(shape: Shape & object, value: unknown, path: string): Json {
  if (typeof value !== "object" || Array.isArray(value)) throw new ConversionError(path, "is not an object");
  const source = value as Json;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(shape as { readonly [field: string]: Shape })) {
    if (!Object.hasOwn(source, key)) continue;
    const field = decode(inner, source[key], path === "" ? key : `${path}.${key}`);
    if (field !== undefined) copy[key] = field;
  }
  return copy;
}

/** Drops absent fields, so that they are absent in JSON too. */
export function compact(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** A list of the decoded object. */
export function listOf(value: unknown): readonly Json[] | undefined {
  return value as readonly Json[] | undefined;
}
