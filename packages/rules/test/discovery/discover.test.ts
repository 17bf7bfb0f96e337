import { expect, test } from "vitest";
import type { CompiledRule } from "../../src/compile/compiled-rules.ts";
import { loadRules } from "../../src/compile/load.ts";
import { discoverCustom, discoverExternal, type Former } from "../../src/discovery/discover.ts";
import { createSnapshot, createSnapshotInSlices } from "../../src/discovery/snapshot.ts";
import { fakeMapper, infoOf } from "../cluster.ts";

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

test("each change of what Prometheus lists is seen", async () => {
  const { listed, context } = rig();
  const rule = rules("externalRules");
  for (const names of [["a_total"], ["a_total", "b_total"], ["a_total", "c_total"], ["a_total"], []]) {
    listed.names = names;
    const { entries } = await discoverExternal(rule, context);
    expect(entries.map(({ series }) => series)).toEqual(names);
  }
});

function entriesOf(metrics: readonly string[], { rule = rules("externalRules"), series = "x" } = {}) {
  return metrics.map((metric) => ({ metric, series, rule, namespaceLabel: undefined }));
}

test("external metrics are found by their name, or by the only one in other letters", async () => {
  const external = entriesOf(["Lag", "depth", "Depth", "b"]);
  const found = await createSnapshotInSlices([
    { custom: [], external },
    { custom: [], external },
  ]);
  const named = ["lag", "LAG", "depth", "Depth", "DEPTH", "none"].map((name) => found.external(name)?.metric);
  expect(named).toEqual(["Lag", "Lag", "depth", "Depth", undefined, undefined]);
  expect(found.externalNames).toEqual(["Depth", "Lag", "b", "depth"]);
  expect(found.collisions).toEqual([]);
});

test("metrics are listed by resource and name, and the last of the same name is kept and said to be", () => {
  const rule = rules("rules");
  const entry = (resource: string, metric: string, series: string) => {
    const info = infoOf(resource);
    const more = { groupResource: resource, namespaced: info.namespaced, resourceLabel: "l" };
    return { metric, series, rule, namespaceLabel: undefined, info, ...more };
  };
  const custom = [
    entry("services", "b", "b"),
    entry("services", "a", "a"),
    entry("pods", "a", "a"),
    entry("pods", "a", "b"),
  ];
  const external = [
    ...entriesOf(["q"], { rule }),
    ...entriesOf(["q"], { rule: rules("rules") }),
    ...entriesOf(["r"], { rule }),
  ];
  const { infos, collisions, ...found } = createSnapshot([{ custom, external }]);
  expect(infos.map(({ groupResource, metric }) => `${groupResource}/${metric}`)).toEqual([
    "pods/a",
    "services/a",
    "services/b",
  ]);
  expect(found.custom("pods", "a")?.series).toBe("b");
  expect(collisions).toEqual([
    {
      metric: "a",
      groupResource: "pods",
      kept: { rule: "rules[0]", series: "b" },
      dropped: { rule: "rules[0]", series: "a" },
    },
    {
      metric: "q",
      groupResource: undefined,
      kept: { rule: "rules[0]", series: "x" },
      dropped: { rule: "rules[0]", series: "x" },
    },
  ]);
});

test.each([
  ["one still lives", ["a_total"], ["a_total", "b_total", "c"]],
  ["all ended", [], ["a_sum", "a_total", "b_total", "c"]],
])("of several series of one name, %s", async (_, alive, expected) => {
  const loaded = loadRules("externalRules: [{seriesQuery: x, name: {matches: '^(.)'}}]", "rules.yaml");
  const [rule] = loaded.ok ? loaded.rules.external : [];
  if (rule === undefined) throw new Error("no rule");
  const { context } = rig();
  const asked: string[][] = [];
  const source = {
    ...context.source,
    names: async () => ["c", "b_total", "a_total", "a_sum"],
    alive: async (names: readonly string[]) => (asked.push([...names]), new Set(alive)),
  };
  const { entries } = await discoverExternal(rule, { source, mapper: fakeMapper });
  expect([entries.map(({ series }) => series), asked]).toEqual([expected, [["a_sum", "a_total"]]]);
});

test("resources that the cluster does not have, and labels in other letters", async () => {
  const loaded = loadRules(
    "rules: [{seriesQuery: x, resources: {template: <<.Resource>>, overrides: {w: {resource: widget}, ns: {resource: namespace}}}}]",
    "rules.yaml",
  );
  const [rule] = loaded.ok ? loaded.rules.custom : [];
  if (rule === undefined) throw new Error("no rule");
  const { context } = rig();
  const labels = ["pod", "Pod", "POD", "pOd", "poD", "PoD", "pods", "ns", "other"];
  const asked: (readonly string[])[] = [];
  const source = {
    ...context.source,
    labels: async () => labels,
    namesWith: async (_: string, wanted: readonly string[]) => (asked.push(wanted), new Map()),
  };
  const { warnings } = await discoverCustom(rule, { source, mapper: fakeMapper });
  expect(warnings).toEqual([
    "the cluster has no resource widget",
    "another label maps to pods: only pod is used in queries",
  ]);
  expect(asked).toEqual([["ns", "POD", "PoD", "Pod", "pOd", "pod"]]);
});
