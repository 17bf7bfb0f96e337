// Plain data as YAML, to be read and copied.

/** Strings that YAML would take for something else, or that hold what it gives a meaning to. */
const plain = /^(?!(?:true|false|null|yes|no|on|off|~)$)[A-Za-z_/][\w./-]*$/i;

/** Maps, lists and scalars of JSON; `undefined` is left out. */
export function yamlOf(value: unknown): string {
  return `${lines(value).join("\n")}\n`;
}

function lines(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? ["[]"] : value.flatMap((item) => itemLines(item));
  if (typeof value !== "object" || value === null) return [scalar(value)];
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.length === 0 ? ["{}"] : entries.flatMap(([key, item]) => entryLines(key, item));
}

function itemLines(item: unknown): readonly string[] {
  const [first = "", ...rest] = lines(item);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function entryLines(key: string, item: unknown): readonly string[] {
  const name = scalar(key);
  const inner = lines(item);
  const isBlock = typeof item === "object" && item !== null && inner[0] !== "[]" && inner[0] !== "{}";
  if (!isBlock) return [`${name}: ${inner[0] ?? ""}`];
  const indent = Array.isArray(item) ? "" : "  ";
  return [`${name}:`, ...inner.map((line) => `${indent}${line}`)];
}

function scalar(value: unknown): string {
  if (typeof value !== "string")
    return typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "null");
  return plain.test(value) ? value : JSON.stringify(value);
}
