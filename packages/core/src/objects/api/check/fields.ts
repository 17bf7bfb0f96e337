// Reports fields that an object of the API does not have, and values of another type, as strict decoding does.
import { isFields, type Remark } from "../../../values/fields.ts";
import { decodeScalar, type Shape } from "../convert/schema.ts";
import { adviceFor, type Fieldset, isFieldset, type Level, pathOf } from "./place.ts";

export interface FieldProblem extends Remark {
  /** A value of another type ends decoding; a field that is unknown does not. */
  readonly kind: "type" | "unknown";
  /** The path that was probably meant by an unknown field. */
  readonly meant?: string;
}

/** @param version in messages. */
export function fieldProblems(object: unknown, shape: Fieldset, version: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  visitObject([{ path: "", shape, value: object }], version, problems);
  return problems;
}

type Levels = readonly [Level, ...Level[]];

function visitObject(levels: Levels, version: string, problems: FieldProblem[]): void {
  const { path, shape, value } = levels.at(-1) ?? levels[0];
  if (!isFields(value)) {
    problems.push(wrongType(path, value, "an object"));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const place = pathOf(path, key);
    if (known !== undefined)
      visit({ shape: known, value: inner, path: place }, levels, { version, problems });
    else {
      const advice = adviceFor(key, levels, version);
      problems.push({
        path: place,
        message: `is an unknown field in ${version}`,
        kind: "unknown",
        ...advice,
      });
    }
  }
}

function visit(
  { shape, value, path }: { readonly shape: Shape; readonly value: unknown; readonly path: string },
  levels: Levels,
  { version, problems }: { readonly version: string; readonly problems: FieldProblem[] },
): void {
  if (value === undefined || value === null) return;
  if (isFieldset(shape)) return visitObject([...levels, { path, shape, value }], version, problems);
  if (typeof shape === "string") {
    if (decodeScalar(shape, value) === undefined) problems.push(wrongType(path, value, nouns[shape]));
    return;
  }
  if (!Array.isArray(value)) {
    problems.push(wrongType(path, value, "a list"));
    return;
  }
  const [item = "any"] = shape as readonly Shape[];
  for (const [index, entry] of (value as readonly unknown[]).entries())
    visit({ shape: item, value: entry, path: `${path}[${index}]` }, levels, { version, problems });
}

const nouns: Readonly<Record<Shape & string, string>> = {
  string: "a string",
  integer: "a 32-bit integer",
  int64: "an integer",
  boolean: "true or false",
  any: "a value",
  quantity: "a quantity, such as 500m or 10",
  "int-or-string": "a number or a string",
  time: "a time, such as 2026-01-31T12:00:00Z",
  strings: "a list of strings",
  map: "an object whose values are strings",
};

function wrongType(path: string, value: unknown, noun: string): FieldProblem {
  const isScalar = typeof value !== "object";
  return {
    path,
    ...(isScalar ? { value } : {}),
    message: `must be ${noun}`,
    remedy: retyped(value, noun),
    kind: "type",
  };
}

/** Most often quotation marks are missing, or too many. */
function retyped(value: unknown, noun: string): string {
  // YAML reads y, no, and off as true and false, too.
  if (noun === nouns.string && typeof value !== "object")
    return `put it in quotation marks${typeof value === "number" ? `: "${value}"` : ""}`;
  if (noun === nouns.integer && typeof value === "string" && /^-?\d{1,10}$/.test(value))
    return `write it without quotation marks: ${value}`;
  return "correct it";
}
