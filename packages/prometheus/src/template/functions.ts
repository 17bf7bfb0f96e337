import { printf } from "./printf.ts";
import {
  byteAt,
  byteLength,
  byteSlice,
  formatValue,
  isList,
  isMap,
  isTrue,
  typeName,
  type Value,
} from "./values.ts";

/** A call that failed; the evaluator adds the position. */
export class CallError extends Error {
  override readonly name = "CallError";
}

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
  ["println", (args) => `${args.map(formatValue).join(" ")}\n`],
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
  if (typeof value === "string") return byteLength(value);
  if (isList(value)) return value.length;
  if (isMap(value)) return value.size;
  throw new CallError(`len of type ${typeName(value)}`);
}

function index(args: readonly Value[]): Value {
  const [first, ...keys] = args;
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
  if (!isList(value) && typeof value !== "string") throw new CallError(`cannot index ${typeName(value)}`);
  const at = wholeIndex(key);
  const item = isList(value) ? value[at] : byteAt(value, at);
  if (at < 0 || at >= length(value)) throw new CallError(`index out of range: ${at}`);
  return item;
}

function slice(args: readonly Value[]): Value {
  const [value, from, to, ...more] = args;
  if (more.length > 0 || (!isList(value) && typeof value !== "string")) {
    throw new CallError(`cannot slice ${typeName(value)} with ${args.length - 1} indexes`);
  }
  const start = from === undefined ? 0 : wholeIndex(from);
  const end = to === undefined ? length(value) : wholeIndex(to);
  if (start < 0 || end > length(value) || start > end) {
    throw new CallError(`slice out of range: ${start} to ${end}`);
  }
  return isList(value) ? value.slice(start, end) : byteSlice(value, start, end);
}

function wholeIndex(value: Value): number {
  if (typeof value !== "number") throw new CallError(`cannot index with ${typeName(value)}`);
  return value;
}

/** Spaces only between two operands that are both no strings. */
function print(args: readonly Value[]): string {
  let result = "";
  for (const [at, value] of args.entries()) {
    const previous = args[at - 1];
    if (at > 0 && typeof value !== "string" && typeof previous !== "string") result += " ";
    result += formatValue(value);
  }
  return result;
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
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  throw new CallError(typeof a === typeof b ? "type has no order" : "incompatible types for comparison");
}
