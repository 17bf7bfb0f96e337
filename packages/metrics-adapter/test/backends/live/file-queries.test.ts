// What is kept of the queries of rules with `live`.
import type { LiveQuery, LiveResult } from "@plimsoll/live";
import { loadRules, type RuleLive } from "@plimsoll/rules";
import { expect, test } from "vitest";
import { createFileQueries } from "../../../src/backends/live/file-queries.ts";
import type { PreparedQuery } from "../../../src/backends/prometheus/query/prepared-query.ts";
import { required } from "../prometheus/harness.ts";

const failed: LiveResult = { ok: false, message: "", isNewest: () => true };

function start() {
  let last: LiveQuery | undefined;
  const run = createFileQueries({
    metrics: {
      known: (query) => ((last = query), failed),
      get: () => Promise.resolve(failed),
      slowed: () => 0,
      stop: () => Promise.resolve(),
    },
    findPods: () => () => Promise.resolve({ ok: false, message: "" }),
  });
  const loaded = loadRules(
    `rules:
- seriesQuery: requests{ingress!=""}
  resources: {template: <<.Resource>>}
  metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[5s])) by (<<.GroupBy>>)
  live: {namespace: gateway, podSelector: {matchLabels: {app: gateway}}, port: metrics}`,
    "rules.yaml",
  );
  const live = required(loaded.ok ? loaded.rules.custom[0]?.live : undefined);
  /** The query that is scraped for a rule of this port. */
  return (port: number, promql: string): LiveQuery => {
    const one: RuleLive = { ...live, port };
    const query = { scope: {}, batched: { planned: { ok: true, plan: { promql } }, matchers: [] } };
    void run(one, query as unknown as PreparedQuery, {} as Parameters<typeof run>[2]);
    return required(last?.whole);
  };
}

test("of more than 1,000 live rules, the window of one that is in use is kept", () => {
  const wholeOf = start();
  const ask = (port: number, ingress: string) =>
    wholeOf(port, `sum(rate(requests{ingress="${ingress}"}[5s]))`);
  const used = ask(1, "a");
  const unused = ask(2, "a");
  for (let port = 3; port <= 1_000; port += 1) ask(port, "a");
  expect(ask(1, "b")).toBe(used);
  ask(1_001, "a");
  expect(ask(1, "c")).toBe(used);
  expect(ask(2, "b")).not.toBe(unused);
  for (let port = 1_002; port <= 2_010; port += 1) {
    ask(port, "a");
    // A text that is known already is a use, too.
    ask(1, "a");
  }
  expect(ask(1, "d")).toBe(used);
});
