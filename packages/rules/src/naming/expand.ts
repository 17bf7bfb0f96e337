// Expands $1 and ${name} in `as` of a rule.
import type { Pattern } from "./pattern.ts";

/** One piece of an expansion: literal text, or a reference to a group. */
export type ExpansionPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "group"; readonly name: string };

/**
 * Reads `$1`, `${1}`, `$name`, `${name}` and `$$`. A name without braces is as long as it can be, so `$1_total`
 * refers to a group called "1_total". A dollar that starts nothing is literal.
 * @upstream regexp/regexp.go#expand
 */
export function parseExpansion(template: string): readonly ExpansionPart[] {
  const parts: ExpansionPart[] = [];
  const reference = /\$(?:(?<dollar>\$)|\{(?<braced>[\p{L}\p{Nd}_]+)\}|(?<bare>[\p{L}\p{Nd}_]+))/gu;
  let at = 0;
  for (const match of template.matchAll(reference)) {
    const literal = template.slice(at, match.index);
    if (literal !== "") parts.push({ kind: "text", text: literal });
    at = match.index + match[0].length;
    const name = match.groups?.["braced"] ?? match.groups?.["bare"];
    parts.push(name === undefined ? { kind: "text", text: "$" } : { kind: "group", name });
  }
  if (at < template.length) parts.push({ kind: "text", text: template.slice(at) });
  return parts;
}

/** The group that a reference names, by number or by name; undefined when the pattern has no such group. */
export function referencedGroup(pattern: Pattern, name: string): number | undefined {
  if (!/^\d+$/.test(name)) return pattern.groupIndex(name);
  // Go reads a number with leading zeros as a name, which no group can have.
  if (name.length > 1 && name.startsWith("0")) return undefined;
  return Number(name) <= pattern.groupCount ? Number(name) : undefined;
}

/** Expands parts over a match; references to nothing give nothing. */
export function expand(
  parts: readonly ExpansionPart[],
  pattern: Pattern,
  groups: readonly (string | undefined)[],
): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      const index = referencedGroup(pattern, part.name);
      return index === undefined ? "" : (groups[index] ?? "");
    })
    .join("");
}
