// Compares the rewriting of queries with the real enforcer, and looks for selectors without the namespace.
import { type EnforceReason, type EnforceResult, enforceNamespace } from "@plimsoll/prometheus/enforce";
import type { PromqlParser, QueryTimes, Verdict } from "./parsers.ts";

/** What must not be. */
export interface PromqlFinding {
  readonly what: string;
  readonly query: string;
  readonly rewritten: string;
  readonly detail?: string;
}

/** What became of the queries. */
export interface PromqlCounts {
  queries: number;
  rewritten: number;
  /** Both rewrote it, and it is the same expression. */
  same: number;
  /** Of those, queries in which the enforcer leaves out a selector. */
  leftOut: number;
  /** Rewritten by the enforcer only, by the reason for which it is refused here. */
  readonly refused: Map<EnforceReason, number>;
  /** Refused by both. */
  refusedByBoth: number;
  /** Rewritten here only: most have wrong types, which the server refuses. */
  rewrittenAlone: number;
  /** Rewritten queries that each parser took, by its version; "VictoriaMetrics" among them. */
  readonly readBy: Map<string, number>;
  readonly findings: PromqlFinding[];
  /** Queries that are refused as no PromQL, though the enforcer takes them. */
  readonly notRead: string[];
}

export const enforced = { label: "namespace", namespace: "shop" } as const;

export function noCounts(): PromqlCounts {
  return {
    queries: 0,
    rewritten: 0,
    same: 0,
    leftOut: 0,
    refused: new Map(),
    refusedByBoth: 0,
    rewrittenAlone: 0,
    readBy: new Map(),
    findings: [],
    notRead: [],
  };
}

/** Adds what the parsers say of the queries. The first parser has the enforcer. */
export async function compareQueries(
  counts: PromqlCounts,
  queries: readonly string[],
  parsers: readonly PromqlParser[],
): Promise<void> {
  const results = queries.map((query) => ({ query, result: enforceNamespace(query, enforced) }));
  const cases = results.map(({ query, result }) => ({ query, rewritten: result.ok ? result.query : "" }));
  for (const [index, parser] of parsers.entries()) {
    const verdicts = await parser.check({ ...enforced, cases });
    for (const [at, { query, result }] of results.entries()) {
      const verdict = verdicts[at];
      if (verdict === undefined) throw new Error(`the parser of ${parser.version} left out a query`);
      if (index === 0) count(counts, { query, result }, verdict);
      checkVerdict(counts, { query, result }, { version: parser.version, verdict });
    }
  }
}

interface Rewriting {
  readonly query: string;
  readonly result: EnforceResult;
}

function count(counts: PromqlCounts, { query, result }: Rewriting, verdict: Verdict): void {
  counts.queries += 1;
  if (!result.ok) {
    if (!verdict.isEnforced) counts.refusedByBoth += 1;
    else increase(counts.refused, result.reason);
    if (verdict.isEnforced && result.reason === "Syntax") counts.notRead.push(query);
    return;
  }
  counts.rewritten += 1;
  if (!verdict.isEnforced) counts.rewrittenAlone += 1;
  else if (verdict.isSame) counts.same += 1;
  if (verdict.isSame && verdict.leftOut > 0) counts.leftOut += 1;
}

/** Looks for what must not be in the words of one parser. */
function checkVerdict(
  counts: PromqlCounts,
  { query, result }: Rewriting,
  { version, verdict }: { readonly version: string; readonly verdict: Verdict },
): void {
  if (!result.ok) return;
  const find = (what: string, detail?: string): void =>
    void counts.findings.push({
      what: `${version}: ${what}`,
      query,
      rewritten: result.query,
      ...(detail === undefined ? {} : { detail }),
    });
  if (verdict.escapes > 0) find("a selector lacks the namespace");
  if (verdict.otherEscapes > 0) find("a selector lacks the namespace on VictoriaMetrics");
  if (verdict.isOther) increase(counts.readBy, "VictoriaMetrics");
  if (verdict.isEnforced && !verdict.isSame) find("not the expression of the enforcer", verdict.enforced);
  if (!verdict.isRewritten) return;
  increase(counts.readBy, version);
  if (verdict.selectors !== result.selectors.length)
    find(`${verdict.selectors} selectors instead of ${result.selectors.length}`);
  if (verdict.cost !== undefined && !isSameCost(verdict.cost, result.cost))
    find("another cost", `${JSON.stringify(verdict.cost)} and not ${JSON.stringify(result.cost)}`);
}

/** Go cuts a duration to milliseconds, and each part of it for itself. */
const ROUNDING_MS = 10;

function isSameCost(one: QueryTimes, other: QueryTimes): boolean {
  return (
    Math.abs(one.maxRangeMs - other.maxRangeMs) <= ROUNDING_MS &&
    Math.abs(one.maxLookbackMs - other.maxLookbackMs) <= ROUNDING_MS &&
    one.maxEvaluations === other.maxEvaluations &&
    one.hasFixedTime === other.hasFixedTime
  );
}

function increase<Key>(map: Map<Key, number>, key: Key): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
