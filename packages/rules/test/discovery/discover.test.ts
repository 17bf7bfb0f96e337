import { expect, test } from "vitest";
import type { CompiledRule } from "../../src/compile/compiled-rules.ts";
import { loadRules } from "../../src/compile/load.ts";
import { discoverCustom, discoverExternal, type Former } from "../../src/discovery/discover.ts";
import { createSnapshot } from "../../src/discovery/snapshot.ts";
import { fakeMapper } from "../cluster.ts";

const rules = (kind: "rules" | "externalRules"): CompiledRule => {
  const loaded = loadRules(
    `${kind}:
  - seriesQuery: '{__name__=~".+_total",namespace!="",pod!=""}'
    resources: { overrides: { namespace: { resource: namespace }, pod: { resource: pod } } }
    name: { matches: "^(.*)_total$", as: "\${1}_per_second" }
    metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
`,
    "rules.yaml",
  );
  const [rule] =
    kind === "rules" ? (loaded.ok ? loaded.rules.custom : []) : loaded.ok ? loaded.rules.external : [];
  if (rule === undefined) throw new Error(JSON.stringify(loaded));
  return rule;
};

/** Prometheus lists what `listed` has at the time. */
function rig() {
  const listed = { names: ["a_total", "c_total", "other"] };
  const former = new WeakMap<CompiledRule, Former>();
  const source = {
    names: async () => listed.names,
    namesWith: async (_: string, labels: readonly string[]) =>
      new Map(labels.map((label) => [label, listed.names])),
    labels: async () => [],
    alive: async () => new Set<string>(),
  };
  return { listed, context: { source, mapper: fakeMapper, former } };
}

test("a relist keeps the entries of series that it lists again, and finds, drops, and orders the others", async () => {
  const { listed, context } = rig();
  const rule = rules("rules");
  const first = await discoverCustom(rule, context);
  expect((await discoverCustom(rule, context)).entries).toBe(first.entries);
  listed.names = ["b_total", "c_total", "other"];
  const { entries } = await discoverCustom(rule, context);
  expect(entries.map(({ groupResource, metric }) => `${groupResource}/${metric}`)).toEqual([
    "namespaces/b_per_second",
    "namespaces/c_per_second",
    "pods/b_per_second",
    "pods/c_per_second",
  ]);
  expect([entries[1], entries[3]].map((entry) => first.entries.findIndex((one) => one === entry))).toEqual([
    1, 3,
  ]);
  const snapshot = createSnapshot([{ custom: entries, external: [] }]);
  expect(snapshot.infos).toEqual(entries);
  expect(snapshot.custom("pods", "a_per_second")).toBeUndefined();
  expect(snapshot.custom("pods", "b_per_second")).toMatchObject({ series: "b_total", resourceLabel: "pod" });
});

test("so do external metrics, whose order is that of the series", async () => {
  const { listed, context } = rig();
  const rule = rules("externalRules");
  const first = await discoverExternal(rule, context);
  listed.names = ["d_total", "c_total", "b_total"];
  const { entries } = await discoverExternal(rule, context);
  expect(entries.map(({ series, metric }) => [series, metric])).toEqual([
    ["b_total", "b_per_second"],
    ["c_total", "c_per_second"],
    ["d_total", "d_per_second"],
  ]);
  expect(entries[1]).toBe(first.entries[1]);
});
