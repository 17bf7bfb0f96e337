// Runs the comparison on random queries, on changed ones, and on those of Prometheus' own tests.
import { createRandom, type Random } from "../random.ts";
import { changed, respelled } from "./change.ts";
import { compareQueries, noCounts, type PromqlCounts } from "./compare.ts";
import type { PromqlOptions } from "./options.ts";
import type { PromqlParser } from "./parsers.ts";

const BATCH = 2_000;

/** @param parsers the first one has the enforcer. */
export async function runPromql(
  { cases, seed, isCorpusOnly }: PromqlOptions,
  parsers: readonly [PromqlParser, ...PromqlParser[]],
  report: (line: string) => void,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const random = createRandom(`promql ${seed}`);
  const corpus = [...new Set((await Promise.all(parsers.map((parser) => parser.corpus()))).flat())];
  const corpusCounts = noCounts();
  await inBatches(corpus.length, async (from, size) => {
    await compareQueries(corpusCounts, corpus.slice(from, from + size), parsers);
  });
  const [randomCounts, changedCounts] = [noCounts(), noCounts()];
  await inBatches(cases, async (from, size) => {
    const made = isCorpusOnly
      ? Array.from({ length: size }, () => anyOf(random, corpus))
      : await parsers[0].random(size, seed * 1_000_003 + from);
    const written = made.map((query) => (random.chance(0.5) ? respelled(random, query) : query));
    await compareQueries(randomCounts, written, parsers);
    const hostile = written.map((query) => {
      const base = random.chance(0.5) ? query : anyOf(random, corpus);
      return changed(random, base, anyOf(random, random.chance(0.5) ? written : corpus));
    });
    await compareQueries(changedCounts, hostile, parsers);
  });
  const all = {
    "corpus of Prometheus": corpusCounts,
    [isCorpusOnly ? "spelled in another way" : "random"]: randomCounts,
    changed: changedCounts,
  };
  for (const [name, counts] of Object.entries(all)) describe(name, counts, report);
  const sum = (of: (counts: PromqlCounts) => number): number =>
    Object.values(all).reduce((total, counts) => total + of(counts), 0);
  const failed = sum(({ findings }) => findings.length);
  return { passed: sum(({ queries }) => queries) - failed, failed };
}

async function inBatches(total: number, run: (from: number, size: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < total; from += BATCH) await run(from, Math.min(BATCH, total - from));
}

function anyOf(random: Random, queries: readonly string[]): string {
  return queries[random.int(0, queries.length - 1)] ?? "";
}

const SHOWN = 10;

function describe(name: string, counts: PromqlCounts, report: (line: string) => void): void {
  const readBy = [...counts.readBy].map(([parser, count]) => `${parser} ${count}`).join(", ");
  const refused = [...counts.refused].map(([reason, count]) => `${reason} ${count}`).join(", ") || "none";
  report(
    [
      `${name}: ${counts.queries} queries, ${counts.rewritten} rewritten, ${counts.same} of them as by the enforcer, which leaves out a selector in ${counts.leftOut}`,
      `  refused by both ${counts.refusedByBoth}; by ours only: ${refused}; rewritten by ours only: ${counts.rewrittenAlone}`,
      `  read after rewriting by ${readBy}; findings: ${counts.findings.length}`,
    ].join("\n"),
  );
  for (const finding of counts.findings.slice(0, SHOWN)) report(JSON.stringify(finding));
  for (const query of counts.notRead.slice(0, SHOWN))
    report(`  refused as no PromQL: ${JSON.stringify(query)}`);
}
