import { requireText } from "./budget.ts";
import { type Directive, readFormat } from "./format.ts";
import { formatValue, isList, isMap, sortedEntries, typeName, type Value } from "./values.ts";

/**
 * Go's fmt.Sprintf for the values that templates have, with a format that `readFormat` takes. Mistakes are shown in
 * the text, as Go does.
 */
export function printf(format: string, args: readonly Value[]): string {
  const parts = readFormat(format);
  if (typeof parts === "string") throw new TypeError(parts);
  let next = 0;
  let text = "";
  const append = (part: string): void => {
    requireText(text.length + part.length);
    text += part;
  };
  for (const part of parts) {
    if ("text" in part) append(part.text);
    else if (next >= args.length) append(`%!${part.verb}(MISSING)`);
    else append(printArgument(args[next++], part.verb, part));
  }
  if (next >= args.length) return text;
  for (const [at, value] of args.slice(next).entries()) {
    append(at === 0 ? "%!(EXTRA " : ", ");
    append(value === undefined ? "<nil>" : `${typeName(value)}=${formatValue(value)}`);
  }
  return `${text})`;
}

/** @upstream fmt/print.go#printArg */
function printArgument(value: Value, verb: string, directive: Directive): string {
  if (verb === "T" && value !== undefined) return pad(cut(typeName(value), directive), directive);
  if (value === undefined) return verb === "v" || verb === "T" ? pad("<nil>", directive) : `%!${verb}(<nil>)`;
  if (typeof value === "object") return printParts(value, verb, directive);
  return (
    basic(value, verb, directive) ?? `%!${verb}(${typeName(value)}=${printArgument(value, "v", directive)})`
  );
}

/** Undefined: the verb is not for such a value. */
function basic(value: string | number | boolean, verb: string, directive: Directive): string | undefined {
  if (typeof value === "boolean")
    return verb === "t" || verb === "v" ? pad(String(value), directive) : undefined;
  if (typeof value === "number") return printInteger(value, verb, directive);
  switch (verb) {
    case "s":
    case "v":
      return pad(cut(value, directive), directive);
    case "q":
      return pad(`"${quoted(cut(value, directive), '"')}"`, directive);
    case "x":
    case "X":
      return pad(hex(value, verb, directive), directive);
    default:
      return undefined;
  }
}

function printParts(value: Value & object, verb: string, directive: Directive): string {
  const one = (item: Value): string => printArgument(item, verb, directive);
  if (isList(value)) return `[${value.map(one).join(" ")}]`;
  if (isMap(value)) {
    return `map[${sortedEntries(value)
      .map(([key, item]) => `${one(key)}:${one(item)}`)
      .join(" ")}]`;
  }
  return `{${[...value.fields.values()].map(one).join(" ")}}`;
}

const BASES: ReadonlyMap<string, number> = new Map([
  ["v", 10],
  ["d", 10],
  ["x", 16],
  ["X", 16],
  ["o", 8],
  ["b", 2],
]);

function printInteger(value: number, verb: string, directive: Directive): string | undefined {
  if (verb === "c") return pad(character(value), directive);
  if (verb === "q") return pad(`'${quoted(character(value), "'")}'`, directive);
  const base = BASES.get(verb);
  if (base === undefined) return undefined;
  const { precision, width, isZero, hasPlus } = directive;
  const sign = value < 0 ? "-" : hasPlus ? "+" : "";
  if (precision === 0 && value === 0) return " ".repeat(width);
  const least = precision ?? (isZero ? width - sign.length : 0);
  const digits = Math.abs(value).toString(base).padStart(least, "0");
  return pad(sign + (verb === "X" ? digits.toUpperCase() : digits), { ...directive, isZero: false });
}

const MAX_RUNE = 0x10ffff;

function character(code: number): string {
  const isRune = code >= 0 && code <= MAX_RUNE && !(code >= 0xd800 && code <= 0xdfff);
  return isRune ? String.fromCodePoint(code) : "\ufffd";
}

function hex(value: string, verb: string, { precision }: Directive): string {
  const digits = Array.from(Buffer.from(value).subarray(0, precision), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return verb === "X" ? digits.join("").toUpperCase() : digits.join("");
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
]);

/** @upstream strconv/quote.go#appendEscapedRune */
function quoted(text: string, quote: string): string {
  return text.replaceAll(/[^]/gu, (char) => {
    if (char === quote) return `\\${char}`;
    const escape = ESCAPES.get(char);
    if (escape !== undefined || /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) return escape ?? char;
    const code = char.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    if (code < 0x20 || code === 0x7f) return `\\x${digits.padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
  });
}

function cut(text: string, { precision }: Directive): string {
  return precision === undefined ? text : Array.from(text).slice(0, precision).join("");
}

function pad(text: string, { width, isLeft, isZero }: Directive): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  return isLeft ? text + " ".repeat(missing) : (isZero ? "0" : " ").repeat(missing) + text;
}
