// Parses the formats of Go's fmt that templates may use.

/** One piece of a format: literal text, or what is done with the next argument. */
export type FormatPart = { readonly text: string } | Directive;

/** Between the percent sign and the verb. */
export interface Directive {
  readonly verb: string;
  readonly isLeft: boolean;
  readonly isZero: boolean;
  readonly hasPlus: boolean;
  readonly width: number;
  readonly precision: number | undefined;
}

const DIRECTIVE = /%([-+# 0]*)(\d*)(?:\.(\d*))?(.|$)/suy;
const VERBS = ["s", "v", "q", "d", "x", "X", "o", "b", "c", "t", "T"];
/** Longer texts are no part of a query. */
const WIDEST = 1_000;

/**
 * Reads a format of Go's fmt, as far as it is supported: the verbs s, v, q, d, x, X, o, b, c, t and T, with "-", "0",
 * width and precision, and "+" for d. @returns the parts, or why the format is refused.
 */
export function readFormat(format: string): readonly FormatPart[] | string {
  const parts: FormatPart[] = [];
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf("%", at);
    const end = percent < 0 ? format.length : percent;
    if (end > at) parts.push({ text: format.slice(at, end) });
    if (percent < 0) break;
    DIRECTIVE.lastIndex = percent;
    const [written = "%", flags = "", width = "", precision, verb = ""] = DIRECTIVE.exec(format) ?? [];
    at = percent + written.length;
    if (verb === "%") parts.push({ text: "%" });
    else if (verb === "") parts.push({ text: "%!(NOVERB)" });
    else {
      const refused = refusal(verb, flags, Math.max(Number(width), Number(precision ?? 0)));
      if (refused !== undefined) return `printf does not support ${JSON.stringify(written)}: ${refused}`;
      parts.push({
        verb,
        isLeft: flags.includes("-"),
        isZero: flags.includes("0"),
        hasPlus: flags.includes("+"),
        width: Number(width),
        precision: precision === undefined ? undefined : Number(precision),
      });
    }
  }
  return parts;
}

function refusal(verb: string, flags: string, size: number): string | undefined {
  if (!VERBS.includes(verb)) return `only the verbs ${VERBS.join(", ")} are supported, without * and [n]`;
  if (flags.includes("#") || flags.includes(" ")) return 'the flags "#" and " " are unknown';
  if (flags.includes("+") && verb !== "d") return 'the flag "+" is for d';
  if (flags.includes("-") && flags.includes("0")) return 'the flags "-" and "0" cannot be combined';
  return size > WIDEST ? `at most ${WIDEST} characters` : undefined;
}
