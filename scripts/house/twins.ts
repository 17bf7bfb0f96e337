// Finds ideas that are written more than once. Each idea has a pattern that the way it is written cannot avoid.
import { isProduct, packageOf } from "../source/files.ts";
import type { SourceFile } from "../source/parse.ts";

interface Idea {
  readonly name: string;
  /** What counts as one more time that it is written. */
  readonly rule: string;
  readonly per: "file" | "package";
  readonly pattern: RegExp;
  /** Files that may have it too, as the rule says. */
  readonly except?: readonly string[];
  /** Files that use the one implementation are none. */
  readonly madeWith?: RegExp;
  /** The sandbox and the oracle are other programs, which have some of these for themselves. */
  readonly inDaemonsOnly?: true;
}

export const ideas: readonly Idea[] = [
  {
    name: "label selectors",
    rule: "files that pair the operators of both notations, `NotIn` and `notin`",
    per: "file",
    pattern: /(?:"NotIn"|\bNotIn): ?"notin"|"NotIn", "notin"|"notin", "NotIn"/,
  },
  {
    name: "Go durations",
    rule: "packages that declare a function with GoDuration in its name",
    per: "package",
    pattern: /\bfunction \w*goDuration\w*/i,
  },
  {
    name: "flags",
    rule: "packages of processes that declare a function `flag`, `parseFlags`, `flagOf` or `flagDocs`",
    per: "package",
    pattern: /\bfunction (?:flag|parseFlags|flagDocs|flagOf)\(/,
    inDaemonsOnly: true,
  },
  {
    name: "Logger",
    rule: "interfaces and type aliases that declare `warn` and `info` as members",
    per: "file",
    pattern:
      /\b(?:interface|type) \w+[^;{]*\{[^}]*(?:\bwarn\??[(:][^}]*\binfo\??[(:]|\binfo\??[(:][^}]*\bwarn\??[(:])[^}]*\}/,
    inDaemonsOnly: true,
  },
  {
    name: "isOlder",
    rule: "functions of that name, which compare resource versions",
    per: "file",
    pattern: /\bfunction isOlder\b/,
  },
  {
    name: "mutation caches",
    rule: "files with a map or field of what was `written`, or a function that creates a mutation cache",
    per: "file",
    pattern: /\bwritten = new Map|^ {2}(?:un)?written: |\bfunction create\w*MutationCache\b/m,
    inDaemonsOnly: true,
  },
  {
    name: "bounded maps",
    rule: "files that drop entries of a map when it reaches a size, or make an LRU cache of the library; core, which imports nothing, has a `memoize` of its own, and the interner starts over because to order its entries by use cost more than it is worth",
    per: "file",
    pattern:
      /(\w+)\.size >=? (?!0\))[^;{}]*\)\s*\{?\s*\1\.(?:clear|delete)\(|\] = \w+\.keys\(\);|\.keys\(\)\.next\(\)|\bnew LRUCache\b/,
    except: ["packages/core/src/cron/memoize.ts", "packages/component-base/src/cache/interner.ts"],
  },
  {
    name: "backoff",
    rule: "files that double a duration, `…Ms`, up to a limit",
    per: "file",
    pattern: /Ms \* 2 \*\*|Math\.min\([^;]*Ms \* 2[,)](?! \/)/i,
  },
  {
    name: "keyed controllers",
    rule: "files with a function `create…Controller` or `create…RunQueue` that is not made with `createKeyedController`",
    per: "file",
    pattern: /\bfunction create\w*(?:Controller|RunQueue)\b/,
    madeWith: /(?<!function )\bcreateKeyedController\(/,
    inDaemonsOnly: true,
  },
];

const others = new Set([
  "sandbox",
  "conformance",
  "e2e",
  "testbed",
  "demo",
  "bench",
  "storm",
  "cli",
  "images",
]);

/** Where an idea is written: files or packages. */
export function placesOf(
  { per, pattern, except, madeWith, inDaemonsOnly }: Idea,
  files: readonly SourceFile[],
): readonly string[] {
  const found = files
    .filter(
      ({ path }) =>
        except?.includes(path) !== true && isProduct(path) && !(inDaemonsOnly && others.has(packageOf(path))),
    )
    .filter(({ text }) => pattern.test(text) && madeWith?.test(text) !== true)
    .map(({ path }) => (per === "file" ? path : packageOf(path)));
  return [...new Set(found)];
}
