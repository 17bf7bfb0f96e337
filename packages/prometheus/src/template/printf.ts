import { quoteString } from "../matcher.ts";
import { formatValue, typeName, type Value } from "./values.ts";

const VERB = /%(?<flags>[-+# 0]*)(?<width>\d+)?(?:\.(?<precision>\d*))?(?<verb>.|$)/gsu;

/** Go's fmt.Sprintf for the values that templates have. Mistakes are shown in the text, as Go does. */
export function printf(format: string, args: readonly Value[]): string {
  let next = 0;
  const text = format.replaceAll(VERB, (...found: unknown[]) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const verb = groups["verb"] ?? "";
    if (verb === "%") return "%";
    if (verb === "") return "%!(NOVERB)";
    if (next >= args.length) return `%!${verb}(MISSING)`;
    const value = args[next];
    next += 1;
    const flags = groups["flags"] ?? "";
    const precision = groups["precision"] === undefined ? undefined : Number(groups["precision"]);
    return pad(formatVerb(verb, value, flags, precision), Number(groups["width"] ?? 0), flags);
  });
  if (next >= args.length) return text;
  const extra = args.slice(next).map((value) => `${typeName(value)}=${formatValue(value)}`);
  return `${text}%!(EXTRA ${extra.join(", ")})`;
}

function formatVerb(verb: string, value: Value, flags: string, precision: number | undefined): string {
  switch (verb) {
    case "v":
      return cut(formatValue(value), typeof value === "string" ? precision : undefined);
    case "s":
      if (typeof value === "string") return cut(value, precision);
      if (typeof value === "object") return formatValue(value);
      break;
    case "q":
      if (typeof value === "string") return quoteString(cut(value, precision));
      break;
    case "d":
      if (typeof value === "number") return signed(value, String(Math.abs(value)), flags);
      break;
    case "x":
    case "X":
      if (typeof value === "number") {
        const digits = Math.abs(value).toString(16);
        return signed(value, verb === "X" ? digits.toUpperCase() : digits, flags);
      }
      break;
    case "t":
      if (typeof value === "boolean") return String(value);
      break;
    case "c":
      if (typeof value === "number") return String.fromCodePoint(value);
      break;
    case "T":
      return typeName(value);
    default:
      break;
  }
  return value === undefined ? `%!${verb}(<nil>)` : `%!${verb}(${typeName(value)}=${formatValue(value)})`;
}

function signed(value: number, digits: string, flags: string): string {
  if (value < 0) return `-${digits}`;
  return flags.includes("+") ? `+${digits}` : digits;
}

function cut(text: string, precision: number | undefined): string {
  return precision === undefined ? text : Array.from(text).slice(0, precision).join("");
}

/** Text longer than this is no query; a width of a million would only waste memory. */
const WIDEST = 1_000;

function pad(text: string, width: number, flags: string): string {
  const wide = Math.min(width, WIDEST);
  if (flags.includes("-")) return text.padEnd(wide);
  if (!flags.includes("0")) return text.padStart(wide);
  const isSigned = /^[+-]\d/.test(text);
  return isSigned ? (text[0] ?? "") + text.slice(1).padStart(wide - 1, "0") : text.padStart(wide, "0");
}
