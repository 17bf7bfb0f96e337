// Values of Go templates, and their formatting.

/** What a template computes with. Undefined is Go's nil, or a map's missing key. */
export type Value =
  | string
  | number
  | boolean
  | undefined
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | TemplateStruct;

/** The data at the root: its fields are all there is, unlike a map's keys. */
export interface TemplateStruct {
  /** As Go names the type. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

export function isStruct(value: Value): value is TemplateStruct {
  return typeof value === "object" && !isList(value) && !isMap(value);
}

/** What `if` and `with` go by: empty means false. */
export function isTrue(value: Value): boolean {
  if (value === undefined) return false;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return value.size > 0;
  return isStruct(value) || Boolean(value);
}

export function sortedEntries(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}

export function typeName(value: Value): string {
  if (value === undefined) return "nil";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "int";
  if (typeof value === "boolean") return "bool";
  if (isList(value)) return "[]string";
  return isMap(value) ? "map[string]string" : value.name;
}

/** As Go's fmt prints with %v. */
export function formatValue(value: Value): string {
  if (value === undefined) return "<nil>";
  if (typeof value === "object") {
    if (isList(value)) return `[${value.map(formatValue).join(" ")}]`;
    const isKeyed = isMap(value);
    const entries = isKeyed ? sortedEntries(value) : [...value.fields];
    const items = entries.map(([key, item]) => (isKeyed ? `${key}:${formatValue(item)}` : formatValue(item)));
    return isKeyed ? `map[${items.join(" ")}]` : `{${items.join(" ")}}`;
  }
  return String(value);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Go cuts strings in bytes. Undefined when it begins or ends within a character. */
export function byteSlice(text: string, start: number, end: number): string | undefined {
  try {
    return decoder.decode(Buffer.from(text).subarray(start, end));
  } catch {
    return undefined;
  }
}

/** In the order of code points, which is Go's order of bytes; that of JavaScript is by UTF-16. */
export function compareText(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return rankAt(a, at) - rankAt(b, at);
}

/** Halves of characters beyond U+FFFF rank above all others; the end of a text below all. */
function rankAt(text: string, at: number): number {
  const unit = at < text.length ? text.charCodeAt(at) : -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
