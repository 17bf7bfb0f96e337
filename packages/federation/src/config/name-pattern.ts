// Patterns of names of metrics and namespaces, matched in linear time.
import { compilePattern, matchesGlob } from "@plimsoll/rules";

/** A pattern of names: a name in which "*" matches any part, or a regular expression between slashes. */
export interface NamePattern {
  readonly source: string;
  matches(name: string): boolean;
}

/** The pattern, or what is wrong with it. */
export type ParsedPattern =
  | { readonly ok: true; readonly pattern: NamePattern }
  | { readonly ok: false; readonly message: string };

/** Longer ones are no names. */
const maxLength = 256;
/** Letters that names of metrics do not have, and regular expressions do. */
const ofRegularExpressions = /[[\](){}+?^$|\\]/;

/** Reads a pattern. A regular expression has RE2's syntax and matches whole names. */
export function parseNamePattern(source: string): ParsedPattern {
  const shown = JSON.stringify(source.slice(0, 80));
  if (source.length > maxLength)
    return {
      ok: false,
      message: `${shown}… has ${source.length} characters; at most ${maxLength} are allowed`,
    };
  const [, expression] = /^\/(.+)\/$/.exec(source) ?? [];
  if (expression === undefined) {
    if (ofRegularExpressions.test(source))
      return {
        ok: false,
        message: `${shown} looks like a regular expression: put it between slashes, as in "/s[0-9]+-.*/"`,
      };
    return { ok: true, pattern: { source, matches: (name) => matchesGlob(source, name) } };
  }
  try {
    const compiled = compilePattern(`^(?:${expression})$`);
    return { ok: true, pattern: { source, matches: compiled.test } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `${shown} is not a regular expression of RE2: ${reason}` };
  }
}
