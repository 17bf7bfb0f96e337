import { formatQuantity } from "../../quantity/format.ts";
import { quantityOf } from "../../quantity/milli.ts";
import { formatInstant, instantMs } from "../../time/rfc3339.ts";

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
  | "quantity"
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
  if (scalar === undefined) throw new ConversionError(path, `is no ${shape}`);
  return scalar;
}

function decodeScalar(shape: Shape & string, value: unknown): unknown {
  switch (shape) {
    case "string":
      return typeof value === "string" ? value : undefined;
    case "integer":
      return Number.isSafeInteger(value) ? value : undefined;
    case "quantity": {
      const quantity = quantityOf(value);
      return quantity === undefined ? undefined : formatQuantity(quantity);
    }
    case "time": {
      const ms = instantMs(value);
      return ms === undefined ? undefined : formatInstant(ms);
    }
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string") ? [...value] : undefined;
    case "map":
      return decodeMap(value);
    default:
      return undefined;
  }
}

function decodeMap(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value).every((item) => typeof item === "string") ? { ...value } : undefined;
}

function decodeList(shape: readonly Shape[], value: unknown, path: string): unknown {
  const [item] = shape;
  if (!Array.isArray(value) || item === undefined) throw new ConversionError(path, "is no list");
  return value.map((entry, i) => decode(item, entry, `${path}[${i}]`) ?? {});
}

function decodeObject(shape: Shape & object, value: unknown, path: string): Json {
  if (typeof value !== "object" || Array.isArray(value)) throw new ConversionError(path, "is no object");
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
