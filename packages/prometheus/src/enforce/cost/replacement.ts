// How often a replacement of label_replace repeats the text that it was matched with.
import type { Group } from "../regex/piece.ts";
import type { RegexCost } from "../regex/read.ts";

/** What a replacement writes. */
export interface Replacement {
  /** Copies of the source's text at most: groups that share no text count once, as in `$1-$2` of `(.*)-(.*)`. */
  readonly copies: number;
  /** Bytes outside of its references. */
  readonly bytes: number;
}

/** `$$`, `${1}`, `${name}`, `$1`, `$name`. */
const REFERENCE = /\$(?:\$|\{(\w+)\}|(\w+))/g;

/** @upstream golang/go regexp/regexp.go#Regexp.expand */
export function readReplacement(text: string, regex: RegexCost): Replacement {
  const references = new Map<string, number>();
  let bytes = Buffer.byteLength(text);
  for (const [whole, braced, bare] of text.matchAll(REFERENCE)) {
    const name = braced ?? bare;
    // Go reads `$1x` as the name of a group that does not exist. It counts as `$1`, which is more.
    const key = name === undefined ? undefined : (/^\d+/.exec(name)?.[0] ?? name);
    if (key === undefined) continue;
    bytes -= whole.length;
    const number = /^\d/.test(key) ? String(Number(key)) : key;
    references.set(number, (references.get(number) ?? 0) + 1);
  }
  const all = references.get("0") ?? 0;
  return { copies: all + maxCopies(regex.groups, references), bytes };
}

/** Groups beside each other share no text, and those within another are a part of its text. */
function maxCopies(groups: readonly Group[], references: ReadonlyMap<string, number>): number {
  const copies = groups.map(({ index, name, groups: inner }) => {
    const byName = name === undefined ? 0 : (references.get(name) ?? 0);
    return (references.get(String(index)) ?? 0) + byName + maxCopies(inner, references);
  });
  return Math.max(0, ...copies);
}
