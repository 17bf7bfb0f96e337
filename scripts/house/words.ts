// Finds words of the private language that the project had, in sources, docs and the chart.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Word {
  /** Matched without regard to case, over texts in which the parts of an identifier stand apart. */
  readonly pattern: RegExp;
  readonly instead: string;
}

const word = (pattern: string, instead: string): Word => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, "gi"),
  instead,
});

/** The words that have one meaning here; those that others use rightly, too (count, text, turn), are left to readers. */
export const words: readonly Word[] = [
  word("anew", "re-, retry, cold, warm"),
  word("nobody|no one", "no replica, no client"),
  word("somebody|someone", "another client"),
  word("strangers?", "foreign writer"),
  word("namesakes?", "object of the same name"),
  word("patience|patient|patiently", "timeout"),
  word("mends?|mended|mending", "fix"),
  word("dear|dearer|dearest", "expensive"),
  word("told|tells?", "record, log, report"),
  word("dressed|dresses", "withConditions"),
  word("imagined", "withoutScale"),
  word("outbox", "coalescing queue"),
  word("reigns?|reigned", "leadership"),
  word("step down|stepped down|steps down", "release"),
  word("bury|buries|buried", "collect"),
  word("tally|tallies|tallied", "counter"),
  word("made up for|makes? up for", "caught up"),
  word("way back", "rollback"),
  word("keep in step|keeps in step|kept in step", "listAndWatch"),
  word("ledgers?", "evaluator, store"),
  word("sights?", "index, lister"),
  word("rivals?", "conflictingObjects"),
  word("drives|driven|driving", "manage"),
  word("works? out|worked out|working out", "compute"),
  word("stands? for|stood for|standing for|stand in for|stands in for", "represent, replace"),
  word("alarms?", "timer"),
  word("judges?|judged|judging", "check, decide"),
  word("kept replies", "response cache"),
  word("lanes?", "in-flight limiter"),
  word("remarks?", "warning"),
];

/** Names that use a superlative for a limit: `longestMs`, `mostPasses`, `leastGroups`. */
const superlative: Word = { pattern: /\b(?:most|longest|least)[A-Z]\w*/g, instead: "max…, min…" };

interface Exception {
  readonly text: RegExp;
  readonly reason: string;
}

/** Where a word is right. */
const exceptions: readonly Exception[] = [
  { text: /event.driven/gi, reason: "the field's term" },
  { text: /KEDA[^.\n]*driven/gi, reason: "the name KEDA abbreviates" },
  {
    text: /too few to judge/g,
    reason: "the words of the specification where too few decisions were compared",
  },
  { text: /verdicts?/gi, reason: "a field of documents: how a decision compares with a status" },
];

/** Files that are searched, from the root. */
const searched = [
  "packages/*/{src,test,cluster,bench,faults,hostile,peer,storm,soak}/**/*.{ts,tsx,css,html}",
  "packages/*/*/README.md",
  "packages/*/README.md",
  "scripts/**/*.{ts,mjs}",
  "docs/**/*.md",
  "deploy/**/*.{md,yaml,yml,json,tpl,txt}",
  "examples/**/*.{md,yaml}",
  "*.md",
  ".changeset/*.md",
];

/** Files that must name the words, or that are not ours to word. */
const skipped =
  /^(?:scripts\/house\/words\.ts|scripts\/test\/words\.test\.ts|CHANGELOG\.md)$|\/(?:node_modules|dist)\//;

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

export function wordFiles(root: string): readonly string[] {
  return [...new Set(globSync([...searched], { cwd: root }))]
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !skipped.test(path))
    .sort();
}

export function findWords(root: string): readonly Finding[] {
  return wordFiles(root).flatMap((path) => wordsIn(path, readFileSync(join(root, path), "utf8")));
}

/** Any of the words, for files that have none. */
const any = new RegExp(words.map(({ pattern }) => pattern.source).join("|"), "i");

/** The text with the parts of identifiers apart. */
function separate(text: string): string {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/[-_]/g, " ");
}

/** The findings of one text. Parts of identifiers count as words. */
export function wordsIn(path: string, text: string): readonly Finding[] {
  if (!any.test(separate(text)) && text.search(superlative.pattern) < 0) return [];
  return text.split("\n").flatMap((line, index) => {
    const allowed = exceptions.reduce((rest, { text: right }) => rest.replaceAll(right, ""), line);
    const apart = separate(allowed);
    const inNames = [...allowed.matchAll(superlative.pattern)].map(([found]) => finding(found, superlative));
    return [
      ...words.flatMap((entry) => [...apart.matchAll(entry.pattern)].map(([found]) => finding(found, entry))),
      ...inNames,
    ];

    function finding(found: string, { instead }: Word): Finding {
      return { path, line: index + 1, found, instead };
    }
  });
}
