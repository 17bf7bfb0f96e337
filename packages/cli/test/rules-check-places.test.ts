// `rules check` reads rules where users of prometheus-adapter keep them.
import { expect, test } from "vitest";
import { plimsoll } from "./run-plimsoll.ts";

const rule = (indent: string, query = "sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)") =>
  [
    `- seriesQuery: 'packets_total{namespace!="",pod!=""}'`,
    "  resources: {template: <<.Resource>>}",
    `  metricsQuery: ${query}`,
  ]
    .map((line) => `${indent}${line}\n`)
    .join("");

const broken = "sum(<<.Series>>{<<.LabelMatchers>>}) by <<.GroupBy>>";

async function check(text: string): Promise<{ readonly code: number; readonly said: string }> {
  const { code, out, err } = await plimsoll(["rules", "check", "file.yaml"], { readText: async () => text });
  return { code, said: `${out}${err}` };
}

const configMap = (rules: string) =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: adapter}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: adapter}\ndata:\n  other: text\n  config.yaml: |-\n    rules:\n${rules}`;
const values = (rules: string) =>
  `prometheus: {url: http://prometheus}\nrules:\n  default: false\n  custom:\n${rules}  external: []\n  resource: {}\n`;

test.each([
  ["a ConfigMap", configMap, "    "],
  ["the values of the chart", values, "  "],
  [
    "the values of a chart around it",
    (rules: string) => `adapter:\n${values(rules).replaceAll(/^/gm, "  ")}`,
    "  ",
  ],
  [
    "an object of kubectl get -o yaml",
    (rules: string) =>
      `kind: List\nitems:\n- ${configMap(rules)
        .split("---\n")[1]
        ?.replaceAll(/\n(?=.)/g, "\n  ")}`,
    "    ",
  ],
])("in %s, with the right line", async (_, fileOf, indent) => {
  expect(await check(fileOf(rule(indent)))).toEqual({ code: 0, said: "file.yaml: no problems\n" });
  const wrong = fileOf(rule(indent, broken));
  const line = wrong.split("\n").findIndex((one) => one.includes(broken)) + 1;
  const column = (wrong.split("\n")[line - 1]?.indexOf("sum") ?? 0) + 1;
  const { code, said } = await check(wrong);
  expect({ code, said }).toEqual({
    code: 2,
    said: expect.stringContaining(
      `file.yaml:${line}:${column}: rules[0].metricsQuery: the query is not PromQL`,
    ),
  });
});

test("in a ConfigMap of kubectl get -o json, with the line in the entry", async () => {
  const object = (query: string) =>
    JSON.stringify({ kind: "ConfigMap", data: { "config.yaml": `rules:\n${rule("", query)}` } });
  expect(await check(object("sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)"))).toMatchObject({
    code: 0,
  });
  expect((await check(object(broken))).said).toContain("file.yaml:4:17: rules[0].metricsQuery");
});

test("rules in two places are refused", async () => {
  const { code, said } = await check(`${configMap(rule("    "))}\n---\n${values(rule("  "))}`);
  expect(code).not.toBe(0);
  expect(said).toContain("file.yaml has rules in 2 places: keep one of them, or check each in a file");
});

test("values of the chart without rules have none to check", async () => {
  const text =
    "image: {tag: v1}\nrules: {default: true, custom: [], existing:, external: [], resource: {}}\n";
  expect((await check(text)).said).toMatch(/no rules, so no metrics.*\n\nfile.yaml: 0 errors, 1 warning\n$/);
});

test("objects without rules are refused in one line", async () => {
  const { code, said } = await check("apiVersion: v1\nkind: Service\nmetadata: {name: adapter}\n");
  expect(code).not.toBe(0);
  expect(said).toBe(
    "error: file.yaml has objects, but no ConfigMap with rules: check autoscalers with plimsoll doctor -f\n",
  );
});

test.each([
  [
    "a label named rules",
    "rules:\n- {seriesQuery: a, resources: {overrides: {rules: {resource: pod}}}, metricsQuery: broken(((}\n",
  ],
  [
    "two documents in an entry",
    configMap(`    ---\n${rule("    ", broken)}`).replace("    rules:\n    ---\n", "    ---\n    rules:\n"),
  ],
  [
    "one line of values",
    `rules: {custom: [{seriesQuery: 'a', resources: {template: "<<.Resource>>"}, metricsQuery: '${broken}'}], external: []}\n`,
  ],
  [
    "an anchor outside of the rules",
    `base: &base\n${rule("", broken)}rules: {default: false, custom: *base}\n`,
  ],
  [
    "JSON in an entry",
    JSON.stringify({
      kind: "ConfigMap",
      data: { "config.yaml": JSON.stringify({ rules: [{ seriesQuery: "a", metricsQuery: "broken(((" }] }) },
    }),
  ],
  ["an entry that is not YAML", configMap(`    - {seriesQuery: a, metricsQuery: broken(((\n`)],
  [
    "the alerts of Prometheus beside it",
    configMap(`${rule("    ", broken)}  alerts.yaml: |\n    groups:\n    - name: a\n      rules: []\n`),
  ],
])("%s: the problem of the rule is found", async (_, text) => {
  const { code, said } = await check(text);
  expect({ code: code !== 0, said }).toEqual({
    code: true,
    said: expect.stringMatching(/(?:not PromQL|rules\[0\]|is not YAML|metricsQuery|Flow map)/),
  });
  expect(said).not.toContain("no rules");
});

test("MetricRules beside a ConfigMap with rules are refused, since one of them would not be read", async () => {
  const rest =
    "---\napiVersion: autoscaling.plimsoll.dev/v1alpha1\nkind: MetricRule\nmetadata: {name: a}\nspec: {type: External, query: up}\n";
  expect((await check(`${configMap(rule("    "))}${rest}`)).said).toContain(
    "has a ConfigMap with rules beside MetricRules",
  );
});
