// Joins with bounds, as a real server reads them.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundJoins, enforceNamespace } from "../../src/enforce/index.ts";
import { type RealPrometheus, startRealPrometheus, type WrittenSeries } from "../../src/server/index.ts";
import { startVictoriaMetrics } from "../../src/testing/real-prometheus.ts";
import { madeQuery } from "./random-query.ts";

const limits = { length: 4_096, operators: 200, nesting: 50, selectors: 50 };

function confined(query: string): string | undefined {
  const enforced = enforceNamespace(query, { label: "namespace", namespace: "shop", limits });
  return enforced.ok ? enforced.query : undefined;
}

interface Tree {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function treeOf({ url }: RealPrometheus, query: string): Promise<Tree | undefined> {
  const body = new URLSearchParams({ query });
  const response = await fetch(`${url}/api/v1/parse_query`, { method: "POST", body });
  return ((await response.json()) as { data?: Tree }).data;
}

/** The tree without what was added to joins. */
function withoutBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (typeof value !== "object" || value === null) return value;
  const node = value as Tree;
  const fields = Object.entries(node).map(([name, part]) => {
    const isOne = name === oneSide(node);
    return [name, withoutBounds(isOne ? unbounded(part as Tree) : part)];
  });
  return Object.fromEntries(fields);
}

function oneSide({ matching }: Tree): string | undefined {
  const card = (matching as { card?: string } | null | undefined)?.card;
  return { "many-to-one": "rhs", "one-to-many": "lhs" }[card ?? ""];
}

function unbounded(side: Tree): Tree {
  const inner = side.type === "aggregation" && side["op"] === "avg" ? (side["expr"] as Tree) : side;
  return withoutReplaced(inner);
}

function withoutReplaced(node: Tree): Tree {
  const { name } = (node["func"] ?? {}) as { name?: string };
  if (name !== "label_replace") return node;
  const [inner, ...texts] = node["args"] as Tree[];
  const isOurs = texts.some(({ val }) => val === "(?s:.{254}.*)");
  return inner !== undefined && isOurs ? withoutReplaced(inner) : node;
}

const version3 = process.env["PROMETHEUS_3"] ?? "";

// `npm test` brings each server where the distribution has it.
test.skipIf(version3 === "")(
  "with bounds a query is the same expression to Prometheus, but for the sides that joins copy from",
  async () => {
    const prometheus = await startRealPrometheus(version3);
    try {
      let bounded = 0;
      for (const { query } of fc.sample(madeQuery, { numRuns: 1_500, seed: 34 })) {
        const plain = confined(query);
        if (plain === undefined || !plain.includes("group_")) continue;
        const tree = await treeOf(prometheus, plain);
        if (tree === undefined) continue;
        const treeWithBounds = await treeOf(prometheus, boundJoins({ query: plain }));
        expect({ plain, tree: withoutBounds(treeWithBounds) }).toEqual({ plain, tree });
        bounded += 1;
      }
      expect(bounded).toBeGreaterThan(50);
    } finally {
      await prometheus.stop();
    }
  },
  60_000,
);

const joins = [
  "sum by (pod) (rate(requests_total[5m])) * on (pod) group_left (node) pod_info",
  "requests_total * on (pod) group_left (node, zone) max by (pod, node, zone) (pod_info)",
  "pod_info * on (pod) group_right (node) requests_total",
  "requests_total / ignoring (pod, code) group_left () sum by (job, namespace) (requests_total)",
  "requests_total / ignoring (pod, code, zone) group_left (zone) shares",
  "max_over_time((requests_total * on (pod) group_left (node) pod_info)[4m:1m])",
  "requests_total >= on (pod) group_left (node) pod_info",
  "pod_info <= bool on (pod) group_right (node) requests_total",
  "requests_total >= ignoring () group_left () requests_total offset 1m",
  'requests_total * on (pod) group_left (x) label_replace(pod_info, "x", "$1", "node", "(.*)")',
];

describe.each([
  ["PROMETHEUS", process.env["PROMETHEUS"]],
  ["PROMETHEUS_3", process.env["PROMETHEUS_3"]],
  ["VICTORIA_METRICS", process.env["VICTORIA_METRICS"]],
] as const)("%s", (name, binary) => {
  // `npm test` brings each server where the distribution has it.
  test.skipIf(binary === undefined)("bounds change no result of a join whose labels are short", async () => {
    const start = name === "VICTORIA_METRICS" ? startVictoriaMetrics : startRealPrometheus;
    const server = await start(binary ?? "");
    try {
      const atMs = Math.floor(Date.now() / 60_000) * 60_000;
      await server.write(series(atMs));
      for (const join of joins) {
        const plain = confined(join) ?? "";
        const found = await resultOf(server, plain, atMs);
        expect({ join, found }).not.toEqual({ join, found: [] });
        const bounded = await resultOf(server, boundJoins({ query: plain }), atMs);
        expect({ join, found: bounded }).toEqual({ join, found });
      }
      const long = confined("requests_total * on (pod) group_left (long) pod_info") ?? "";
      const labels = (await resultOf(server, boundJoins({ query: long }), atMs)).map(([text]) => text);
      expect(labels).toHaveLength(8);
      for (const text of labels) expect(text).not.toContain("long");
    } finally {
      await server.stop();
    }
  });
});

function series(atMs: number): readonly WrittenSeries[] {
  const samples = Array.from({ length: 10 }, (_, at) => [atMs - (9 - at) * 60_000, at * 60] as const);
  const shop = { namespace: "shop", job: "web" };
  const pods = Array.from({ length: 4 }, (_, n) => `web-${n}`);
  const requests = pods.flatMap((pod) =>
    ["200", "500"].map((code) => ({ __name__: "requests_total", ...shop, pod, code })),
  );
  const infos = pods.map((pod) => ({
    __name__: "pod_info",
    ...shop,
    pod,
    node: `n".\\{}\n${pod}`,
    zone: "z".repeat(253),
    long: "x".repeat(254),
  }));
  const shares = { __name__: "shares", ...shop, zone: "语".repeat(253) };
  return [...requests, ...infos, shares].map((labels) => ({ labels, samples }));
}

async function resultOf(
  { url }: RealPrometheus,
  query: string,
  atMs: number,
): Promise<readonly (readonly [labels: string, value: string])[]> {
  const parameters = new URLSearchParams({ query, time: String(atMs / 1_000) });
  const response = await fetch(`${url}/api/v1/query?${parameters.toString()}`);
  const { data, error } = (await response.json()) as {
    data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
    error?: string;
  };
  if (data === undefined) throw new Error(`${query}: ${error}`);
  return data.result
    .map(
      ({ metric, value }) =>
        [
          JSON.stringify(Object.entries(metric).toSorted(([one], [other]) => (one < other ? -1 : 1))),
          value[1],
        ] as const,
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
