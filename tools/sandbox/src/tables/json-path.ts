import { isRecord } from "../storage/json-value.ts";

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "all" }
  | { readonly type: "filter"; readonly field: readonly string[]; readonly value: string };

/** The values a simple JSONPath finds. */
export type JsonPath = (value: unknown) => readonly unknown[];

const token =
  /\.((?:\\.|[^.[\]\\])+)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\]|\[(-?\d+)\]|(\[\*\])|\[\?\(\s*@((?:\.[\w-]+)+)\s*==\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\)\]/y;

/**
 * Reads what printer columns use: `.a.b`, `['a']`, `[0]`, `[-1]`, `[*]`, `.*`, `[?(@.a.b=="x")]`, with `\.` for a dot in a
 * name. Undefined when the text is anything else.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  const path = text.startsWith("$") ? text.slice(1) : text;
  token.lastIndex = 0;
  while (token.lastIndex < path.length) {
    const match = token.exec(path);
    if (match === null) return undefined;
    steps.push(stepOf(match));
  }
  return (value) =>
    steps.reduce<readonly unknown[]>((found, step) => found.flatMap((one) => take(one, step)), [value]);
}

function stepOf(match: RegExpExecArray): Step {
  const [, plain, single, double, index, all, filter, filterSingle, filterDouble, filterBare] = match;
  if (all !== undefined || plain === "*") return { type: "all" };
  if (index !== undefined) return { type: "index", index: Number(index) };
  if (filter !== undefined) {
    const value = filterSingle ?? filterDouble ?? filterBare ?? "";
    return { type: "filter", field: filter.slice(1).split("."), value };
  }
  return { type: "field", name: plain?.replaceAll(/\\(.)/g, "$1") ?? single ?? double ?? "" };
}

function take(value: unknown, step: Step): readonly unknown[] {
  switch (step.type) {
    case "field":
      return isRecord(value) ? present(value[step.name]) : [];
    case "index":
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case "all":
      return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
    case "filter":
      return Array.isArray(value) ? value.filter((item) => matches(item, step)) : [];
    default:
      return step satisfies never;
  }
}

function matches(
  item: unknown,
  step: { readonly field: readonly string[]; readonly value: string },
): boolean {
  let current = item;
  for (const name of step.field) current = isRecord(current) ? current[name] : undefined;
  return typeof current === "string" ? current === step.value : JSON.stringify(current) === step.value;
}

function present(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : [value];
}
