// The functions of templates.
import { requireText, sizeOf } from "./budget.ts";
import { CallError } from "./error.ts";
import { printf } from "./printf.ts";
import {
  byteSlice,
  compareText,
  formatValue,
  isList,
  isMap,
  isTrue,
  typeName,
  type Value,
} from "./values.ts";

type TemplateFunction = (args: readonly Value[]) => Value;

/** All of Go's predefined functions but call, html, js and urlquery. and/or stop early: see the evaluator. */
const FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ["and", (args) => args.find((value) => !isTrue(value)) ?? args.at(-1)],
  ["or", (args) => args.find(isTrue) ?? args.at(-1)],
  ["not", (args) => !isTrue(only(args, "not"))],
  ["len", (args) => length(only(args, "len"))],
  ["index", index],
  ["slice", slice],
  ["print", print],
  ["println", println],
  ["printf", ([format, ...rest]) => printf(text(format, "printf"), rest)],
  ["eq", equalToAny],
  ["ne", (args) => !equal(...two(args, "ne"))],
  ["lt", (args) => compare(args, "lt") < 0],
  ["le", (args) => compare(args, "le") <= 0],
  ["gt", (args) => compare(args, "gt") > 0],
  ["ge", (args) => compare(args, "ge") >= 0],
]);

export function isFunction(name: string): boolean {
  return FUNCTIONS.has(name);
}

/** @throws CallError */
export function callFunction(name: string, args: readonly Value[]): Value {
  const run = FUNCTIONS.get(name);
  if (run === undefined) throw new CallError(`function ${name} is not defined`);
  if (args.length === 0 && !name.startsWith("print")) throw new CallError(`${name} needs arguments`);
  return run(args);
}

function only(args: readonly Value[], name: string): Value {
  if (args.length !== 1) throw new CallError(`${name} takes 1 argument, got ${args.length}`);
  return args[0];
}

function two(args: readonly Value[], name: string): [Value, Value] {
  if (args.length !== 2) throw new CallError(`${name} takes 2 arguments, got ${args.length}`);
  return [args[0], args[1]];
}

function text(value: Value, name: string): string {
  if (typeof value !== "string") throw new CallError(`${name} needs a string, got ${typeName(value)}`);
  return value;
}

function length(value: Value): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (isList(value)) return value.length;
  if (isMap(value)) return value.size;
  throw new CallError(`len of type ${typeName(value)}`);
}

function index(args: readonly Value[]): Value {
  const [first, ...keys] = args;
  if (first === undefined) throw new CallError("index of nil");
  let value: Value = first;
  for (const key of keys) value = indexOne(value, key);
  return value;
}

function indexOne(value: Value, key: Value): Value {
  if (isMap(value)) {
    if (typeof key !== "string")
      throw new CallError(`a map of strings cannot be indexed with ${typeName(key)}`);
    // The zero value of the map's element type, unlike a missing .Field.
    return value.has(key) ? value.get(key) : "";
  }
  // A byte of a string has a type of its own in Go; where that can be seen, the template is refused when it is loaded.
  if (!isList(value)) throw new CallError(`cannot index ${typeName(value)}`);
  const at = wholeIndex(key);
  if (at < 0 || at >= value.length) throw new CallError(`index out of range: ${at}`);
  return value[at];
}

function slice(args: readonly Value[]): Value {
  const [value, from, to, ...more] = args;
  if (more.length > 0 || (!isList(value) && typeof value !== "string"))
    throw new CallError(`cannot slice ${typeName(value)} with ${args.length - 1} indexes`);
  const start = args.length < 2 ? 0 : wholeIndex(from);
  const end = args.length < 3 ? length(value) : wholeIndex(to);
  if (start < 0 || end > length(value) || start > end)
    throw new CallError(`slice out of range: ${start} to ${end}`);
  if (isList(value)) return value.slice(start, end);
  const part = byteSlice(value, start, end);
  // Go keeps the bytes, of which no query can be made.
  if (part === undefined) throw new CallError(`slice ${start} to ${end} cuts a character`);
  return part;
}

function wholeIndex(value: Value): number {
  if (typeof value !== "number") throw new CallError(`cannot index with ${typeName(value)}`);
  return value;
}

/** Spaces only between two operands that are both no strings. */
function print(args: readonly Value[]): string {
  requirePrintable(args);
  let result = "";
  for (const [at, value] of args.entries()) {
    const previous = args[at - 1];
    if (at > 0 && typeof value !== "string" && typeof previous !== "string") result += " ";
    result += formatValue(value);
  }
  return result;
}

function println(args: readonly Value[]): string {
  requirePrintable(args);
  return `${args.map(formatValue).join(" ")}\n`;
}

function requirePrintable(args: readonly Value[]): void {
  requireText(args.reduce<number>((size, value) => size + sizeOf(value) + 1, 0));
}

function equalToAny(args: readonly Value[]): boolean {
  const [first, ...others] = args;
  if (others.length === 0) throw new CallError("eq needs something to compare with");
  return others.some((other) => equal(first, other));
}

function equal(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b;
  requireBasic(a);
  requireBasic(b);
  if (typeof a !== typeof b) throw new CallError("incompatible types for comparison");
  return a === b;
}

function requireBasic(value: Value): void {
  if (typeof value === "object") throw new CallError(`${typeName(value)} cannot be compared`);
}

function compare(args: readonly Value[], name: string): number {
  const [a, b] = two(args, name);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  throw new CallError(typeof a === typeof b ? "type has no order" : "incompatible types for comparison");
}
