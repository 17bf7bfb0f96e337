// Queries of thousands of series, three at a time, on a real Prometheus with a limit of memory.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boundJoins, enforceNamespace } from "@plimsoll/prometheus/enforce";
import { type RealPrometheus, startRealPrometheus, type WrittenSeries } from "@plimsoll/prometheus/server";
import { expect } from "vitest";
import { costProblem } from "../../src/compile/cost-problem.ts";
import { defaultRuleLimits } from "../../src/compile/limits.ts";

export const shop = { label: "namespace", namespace: "shop" };
export const capBytes = 3_000_000_000;

const eachLong = Array.from({ length: 10 }, (_, at) => `long${at}`);

/** In forms that differ from each other. */
export const joinsWithALongLabel: readonly ((at: number) => string)[] = [
  (at) => `count(up + ${at} * on () group_left () huge)`,
  (at) => `count(up + ${at} * on () group_left (x) huge)`,
  (at) => `count(huge * on () group_right (x) up) + ${at}`,
  (at) =>
    `count(up * on (namespace) group_left (y) label_join(huge, "y", "-", "x", "x", "x", "x", "x")) + ${at}`,
  (at) => `count(up * ignoring (pod, n, x) group_left (x) huge) + ${at}`,
  (at) =>
    `count(label_replace(up, "__name__", "up$1", "n", "(.*)") >= ignoring (pod, n) group_left (pod, n) {__name__=~"nn.*"}) + ${at}`,
  (at) => {
    const wide = `up * on () group_left (${eachLong.join()}) huge`;
    return `count((${wide}) * on (pod) up * on (pod) up) + ${at}`;
  },
];

const manySteps = "24m50s:1s";
/** The worst of their kinds that are accepted. */
export const longSubqueries: readonly ((at: number) => string)[] = [
  (at) => `count(max_over_time(up[49m:1s])) + ${at}`,
  (at) => `count(max_over_time(quantile by (pod) (0.${at}, up)[${manySteps}]))`,
  (at) => `count(max_over_time(topk by (pod) (2, up)[${manySteps}])) + ${at}`,
  (at) => `count(max_over_time(topk by (pod) (100, up)[29s:1s])) + ${at}`,
  (at) => `count(max_over_time((sum by (pod) (up) / quantile by (pod) (0.${at}, up))[16m30s:1s]))`,
  (at) => `count(max_over_time((up * on () group_left () huge)[16m30s:1s])) + ${at}`,
];

/** Three of each at a time, as many as a namespace may have. @returns the statuses of the responses */
export async function askAtOnce(
  binary: string,
  queries: readonly ((at: number) => string)[],
  bytes = capBytes,
): Promise<ReadonlySet<number>> {
  const prometheus = await startCapped(binary, `ulimit -d ${bytes / 1_000}`);
  try {
    const atMs = Date.now();
    for (const some of batchesOf(thousandsOfSeries(atMs))) await prometheus.write(some);
    const seen = new Set<number>();
    for (const query of queries) {
      const three = [0, 1, 2].map((at) => statusOf(prometheus.url, accepted(query(at)), atMs));
      for (const status of await Promise.all(three)) seen.add(status);
    }
    return seen;
  } finally {
    await prometheus.stop();
  }
}

function accepted(query: string): string {
  const enforced = enforceNamespace(query, shop);
  if (!enforced.ok) throw new Error(enforced.message);
  expect(costProblem(query, enforced, defaultRuleLimits)).toBe(undefined);
  return boundJoins(enforced);
}

async function statusOf(url: string, query: string, atMs: number): Promise<number> {
  const timeout = `${defaultRuleLimits.timeoutMs}ms`;
  const body = new URLSearchParams({ query, time: String(atMs / 1_000), timeout });
  const response = await fetch(`${url}/api/v1/query`, { method: "POST", body });
  await response.arrayBuffer();
  return response.status;
}

/** Instants of the last 50 minutes, near enough for each step to find one. */
function thousandsOfSeries(atMs: number): readonly WrittenSeries[] {
  const samples = Array.from({ length: 13 }, (_, at) => [atMs - (12 - at) * 240_000, at] as const);
  const common = { namespace: "shop" };
  const plain = Array.from({ length: 5_000 }, (_, at) => ({
    labels: { ...common, __name__: "up", n: String(at), pod: `pod-${at}` },
    samples,
  }));
  // In characters of four bytes.
  const long = eachLong.map((label) => [label, "\u{1f6a2}".repeat(253)]);
  const huge = { ...common, __name__: "huge", x: "x".repeat(1_000_000), ...Object.fromEntries(long) };
  const named = { ...common, __name__: "n".repeat(1_000_000) };
  return [...plain, { labels: huge, samples }, { labels: named, samples }];
}

function batchesOf(all: readonly WrittenSeries[]): readonly (readonly WrittenSeries[])[] {
  return Array.from({ length: Math.ceil(all.length / 1_000) }, (_, at) =>
    all.slice(at * 1_000, (at + 1) * 1_000),
  );
}

/** @param limit in the words of a shell */
export async function startCapped(binary: string, limit: string): Promise<RealPrometheus> {
  const directory = await mkdtemp(join(tmpdir(), "plimsoll-capped-"));
  const capped = join(directory, "prometheus");
  await writeFile(capped, `#!/bin/sh\n${limit}\nexec "${binary}" "$@"\n`);
  await chmod(capped, 0o755);
  const prometheus = await startRealPrometheus(capped);
  return {
    ...prometheus,
    async stop() {
      await prometheus.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
