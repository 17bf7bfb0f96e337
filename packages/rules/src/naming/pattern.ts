import { RE2JS } from "re2js";

/** A regular expression in RE2's syntax, matched in linear time: no look-around, no backreferences. */
export interface Pattern {
  readonly source: string;
  readonly groupCount: number;
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  /** The first match: its groups by number, from 0 for all of it; undefined where a group took no part. */
  match(text: string): readonly (string | undefined)[] | undefined;
  /** A group's number by its name. */
  groupIndex(name: string): number | undefined;
}

export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** @throws PatternError when the text is not RE2 syntax. */
export function compilePattern(source: string): Pattern {
  const regex = compileRe2(source);
  const groupCount = regex.groupCount();
  const names = new Map<string, number>(Object.entries(regex.namedGroups()));
  return {
    source,
    groupCount,
    test: (text) => regex.matcher(text).find(),
    match(text) {
      const matcher = regex.matcher(text);
      if (!matcher.find()) return undefined;
      return Array.from({ length: groupCount + 1 }, (_, index) => matcher.group(index) ?? undefined);
    },
    groupIndex: (name) => names.get(name),
  };
}

function compileRe2(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PatternError(message.replace(/^error parsing regexp: /, ""), { cause: error });
  }
}
