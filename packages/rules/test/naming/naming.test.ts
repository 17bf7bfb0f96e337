import { compileLabelTemplate } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { loadRules } from "../../src/compile/load.ts";
import { candidatesFor, labelFromTemplate } from "../../src/naming/label-template.ts";
import { createMetricName, defaultExpansion } from "../../src/naming/metric-name.ts";
import { compilePattern, PatternError } from "../../src/naming/pattern.ts";
import {
  createResourceLabels,
  groupResourceOf,
  withoutShortNames,
} from "../../src/naming/resource-labels.ts";
import { fakeMapper, infoOf } from "../cluster.ts";

test.each([
  ["^(.*)_total$", "${1}_per_second", "http_requests_total", "http_requests_per_second"],
  ["^(.*)_total$", "$1_per_second", "http_requests_total", ""],
  ["^(.*)_total$", "$1", "http_requests_total", "http_requests"],
  ["^(.*)_total$", "$1", "http_requests", undefined],
  ["_(.*)_", "$1", "a_b_c", "b"],
  ["(?P<what>[a-z]+)_total", "${what}x$$", "http_requests_total", "requestsx$"],
  ["(?P<what>[a-z]+)_total", "$what", "x_total", "x"],
  ["(a)(b)?", "$1-$2-$3", "a", "a--"],
  ["(a)", "$01", "a", ""],
  ["(a)", "cost $ 5 ${", "a", "cost $ 5 ${"],
  [".*", "$0", "up", "up"],
  ["(a)", "${1}é$1é", "a", "aé"],
  ["(.*)", "all", "x", "all"],
])("%s with %s names %s", (matches, as, series, expected) => {
  expect(createMetricName(compilePattern(matches), as)(series)).toBe(expected);
});

test("what as is when it is left out", () => {
  const groups = (source: string): number => compilePattern(source).groupCount;
  expect(defaultExpansion(groups(".*"))).toBe("$0");
  expect(defaultExpansion(groups("(?:a)(b)"))).toBe("$1");
  expect(defaultExpansion(groups("(a)(b)"))).toBeUndefined();
});

test.each(["(?=a)", "(?!a)", "(?<=a)", "(a)\\1", "(", "a**", "[z-a]"])("%s is not RE2", (source) => {
  expect(() => compilePattern(source)).toThrow(PatternError);
});

test("a pattern made to backtrack comes to its end", () => {
  expect(compilePattern("^(a+)+$").test(`${"a".repeat(20_000)}b`)).toBe(false);
});

test.each([
  ["<<.Resource>>", "pod", [{ group: "", resource: "pod" }]],
  ["kube_<<.Resource>>", "pod", []],
  ["kube_<<.Resource>>", "kube_", []],
  ["kube_<<.Group>>_<<.Resource>>", "kube__node", [{ group: "", resource: "node" }]],
  [
    "kube_<<.Group>>_<<.Resource>>",
    "kube_cheese_io_brand",
    [
      { group: "cheese.io", resource: "brand" },
      { group: "cheese-io", resource: "brand" },
    ],
  ],
  ["<<.Resource>>_<<.Resource>>", "pod_pod", [{ group: "", resource: "pod" }]],
])("%s could have made %s", (template, label, expected) => {
  expect(candidatesFor(compileLabelTemplate(template), label)).toEqual(expected);
});

test("labels and resources, both ways", async () => {
  const mapper = withoutShortNames(fakeMapper);
  const labels = createResourceLabels(
    {
      overrides: [
        { label: "ns", group: "", resource: "namespaces" },
        { label: "k8s_pod", group: "", resource: "pod" },
        { label: "second_pod", group: "", resource: "pods" },
        { label: "widget", group: "", resource: "widget" },
      ],
      template: compileLabelTemplate("kube_<<.Group>>_<<.Resource>>"),
    },
    mapper,
  );
  const named = async (label: string): Promise<string | undefined> => {
    const info = await labels.resourceFor(label);
    return info && groupResourceOf(info);
  };
  expect(await named("ns")).toBe("namespaces");
  expect(await named("second_pod")).toBe("pods");
  expect(await named("kube_apps_deployment")).toBe("deployments.apps");
  expect(await named("kube_networking_k8s_io_ingress")).toBe("ingresses.networking.k8s.io");
  expect(await named("kube__nodes")).toBe("nodes");
  expect(await named("kube__svc")).toBeUndefined();
  expect(await named("instance")).toBeUndefined();
  expect(await labels.labelFor(infoOf("pods"))).toBe("k8s_pod");
  expect(await labels.labelFor(infoOf("brands.cheese.io"))).toBe("kube_cheese_io_brand");
  expect(await labels.labelFor(infoOf("nodes"))).toBe("kube__node");
  expect(await labels.unknownOverrides()).toEqual(["widget"]);
});

test("the label of a resource has neither dots nor dashes", () => {
  const template = compileLabelTemplate("<<.Group>>_<<.Resource>>");
  expect(labelFromTemplate(template, { group: "my-group.example.io", resource: "thing" })).toBe(
    "my_group_example_io_thing",
  );
});

test.each([
  "kube_<<.Group>>_<<.Resource>>",
  "<<.Resource>>_<<.Group>>",
  "<<.Group>><<.Resource>>",
  "<<.Resource>>",
])("a label of any length is looked up a few times under %s", async (template) => {
  let lookups = 0;
  const mapper = {
    byResource: async () => {
      lookups += 1;
      return undefined;
    },
  };
  const labels = createResourceLabels({ overrides: [], template: compileLabelTemplate(template) }, mapper);
  for (const label of ["a_".repeat(50_000), `kube_${"a_".repeat(120)}`, "b".repeat(100_000), "c".repeat(300)])
    await labels.resourceFor(label);
  expect(lookups).toBeLessThanOrEqual(4 * 63);
});

test.each([
  [["lag{a='b'}", "", ""], "lag", "lag"],
  [["lag_total", "^(.*)_total$", ""], "lag", "lag"],
  [["lag", "^(.*)_total$", ""], "lag", undefined],
  [['{__name__=~"a_.*"}', "", "all"], "all", "all"],
  [['{__name__=~"a_.*"}', "", ""], "a_b", undefined],
  [['{__name__!~"b_.*"}', "^.*_b$", "$0"], "a_b", undefined],
  [['{a="b"}', "^(.*)_total$", ""], "anything", undefined],
  [['{a="b"}', "^(.*)_total$", "${1}_per_second"], "http_per_second", undefined],
  [['{__name__=~"^http_(?!debug).*"}', "", ""], "anything", undefined],
] as const)("%s may have the name %s and the only name %s", ([query, matches, as], name, only) => {
  const rule = externalRule(query, matches, as);
  expect([rule?.possibleNames.has(name), rule?.possibleNames.only]).toEqual([query !== "lag", only]);
});

test.each([
  ["lag", "", "", "depth"],
  ['{__name__=~"a_.*"}', "", "", "b"],
  ['{__name__!~"b_.*"}', "", "", "b_c"],
  ['{a="b"}', "^a$", "$0", "b"],
  ['{a="b"}', "", "all", "b"],
  ['{a="b"}', "^(.*)_total$", "${1}_per_second", "s0-prometheus"],
])("%s named by %s as %s never has the name %s", (query, matches, as, name) => {
  expect(externalRule(query, matches, as)?.possibleNames.has(name)).toBe(false);
});

test.each([
  ['{__name__=~"container_.*"}', "^container_(.*)_total$", "", true],
  ['{a="b"}', "", "", true],
  ['{__name__!~"b_.*"}', "", "", true],
  ['{__name__=~"http_.*"}', "", "", false],
  ['{a="b"}', "^(.*)_total$", "${1}_per_second", false],
  ['{a="b"}', "", "all", false],
  ["lag", "", "", false],
])("%s named by %s as %s may have any name: %s", (query, matches, as, isAny) => {
  expect(externalRule(query, matches, as)?.possibleNames.isAny).toBe(isAny);
});

function externalRule(seriesQuery: string, matches: string, as: string) {
  const loaded = loadRules(JSON.stringify({ externalRules: [{ seriesQuery, name: { matches, as } }] }), "x");
  return loaded.ok ? loaded.rules.external[0] : undefined;
}
