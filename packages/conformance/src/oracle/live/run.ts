// Runs random cases on both sides, and makes those that differ smaller.
import { createRandom } from "../random.ts";
import type { EngineResult, LiveCase } from "./cases.ts";
import { type Comparable, difference, engineResult, isRefused, ownResult } from "./compare.ts";
import { randomQuery } from "./query.ts";
import { randomClock, randomSeries } from "./series.ts";

/** The real engine. */
export type Engine = (cases: readonly LiveCase[]) => Promise<readonly EngineResult[]>;

export interface LiveCounts {
  passed: number;
  failed: number;
  /** Results with at least one series or a scalar. */
  nonempty: number;
  /** Both refused the query. */
  refused: number;
  /** Both found the same reason why there is no result. */
  errors: number;
}

const BATCH = 500;
/** Queries on the series of one world. */
const QUERIES = 5;
const SHOWN = 10;

export async function runLive(
  { cases, seed }: { readonly cases: number; readonly seed: number },
  engine: Engine,
  report: (line: string) => void,
): Promise<LiveCounts> {
  const counts = { passed: 0, failed: 0, nonempty: 0, refused: 0, errors: 0 };
  for (let from = 0; from < cases; from += BATCH) {
    const batch = casesOf(seed, from, Math.min(BATCH, cases - from));
    const results = await engine(batch);
    for (const [at, one] of batch.entries()) {
      const [own, theirs] = [ownResult(one), engineResult(results[at] ?? {})];
      count(counts, own);
      const differs = difference(own, theirs);
      if (differs === undefined) counts.passed += 1;
      else {
        counts.failed += 1;
        if (counts.failed <= SHOWN) report(await reproduction(one, engine));
      }
    }
  }
  return counts;
}

function casesOf(seed: number, from: number, size: number): readonly LiveCase[] {
  const made: LiveCase[] = [];
  for (let at = from; made.length < size; at += QUERIES) {
    const random = createRandom(`live ${seed} ${at}`);
    const clock = randomClock(random);
    const series = randomSeries(random, clock);
    const endMs = clock.startMs + clock.intervalMs * clock.scrapes;
    for (let left = QUERIES; left > 0; left -= 1) {
      const atMs = random.chance(0.2)
        ? (series[0]?.times.at(-1) ?? endMs)
        : endMs + random.int(-clock.intervalMs * 2, clock.intervalMs);
      const lookbackMs = random.pick([300_000, 300_000, clock.intervalMs, clock.intervalMs * 2 + 1]);
      made.push({ query: randomQuery({ random, clock }), atMs, lookbackMs, series });
    }
  }
  return made.slice(0, size);
}

function count(counts: LiveCounts, own: Comparable): void {
  if (isRefused(own)) counts.refused += 1;
  else if (own.has("")) counts.errors += 1;
  else if (own.size > 0) counts.nonempty += 1;
}

/** The smallest case that still differs, as JSON. */
async function reproduction(failing: LiveCase, engine: Engine): Promise<string> {
  const differenceIn = async (one: LiveCase): Promise<string | undefined> => {
    const [result] = await engine([one]);
    return difference(ownResult(one), engineResult(result ?? {}));
  };
  let smallest = failing;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const one of smaller(smallest)) {
      if ((await differenceIn(one)) === undefined) continue;
      smallest = one;
      isSmaller = true;
      break;
    }
  }
  return `${await differenceIn(smallest)}\n${JSON.stringify(smallest)}`;
}

function* smaller(one: LiveCase): Generator<LiveCase> {
  const { series } = one;
  for (let size = Math.ceil(series.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < series.length; from += size)
      yield { ...one, series: [...series.slice(0, from), ...series.slice(from + size)] };
  }
  for (const [at, { times, values, labels }] of series.entries()) {
    for (const gone of times.keys()) {
      const isKept = (_: unknown, place: number): boolean => place !== gone;
      const shorter = { labels, times: times.filter(isKept), values: values.filter(isKept) };
      yield { ...one, series: series.with(at, shorter) };
    }
  }
}
