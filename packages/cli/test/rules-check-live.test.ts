// `rules check` of rules with `live`, as an administrator meets them.
import { expect, test } from "vitest";
import { plimsoll, reading } from "./run-plimsoll.ts";

const rest = "podSelector: {matchLabels: {app: gateway}}, port: metrics";
const good = {
  seriesQuery: `'hits{ingress!=""}'`,
  resources: '{template: "<<.Resource>>"}',
  name: "{as: hits_per_second}",
  metricsQuery: "sum(rate(<<.Series>>{<<.LabelMatchers>>}[10s])) by (<<.GroupBy>>)",
  live: `{namespace: gateway, ${rest}}`,
};

function check(changed: Partial<typeof good> & { readonly source?: string } = {}) {
  const fields = Object.entries({ ...good, ...changed }).map(([name, value]) => `${name}: ${value}`);
  const files = { "rules.yaml": `rules:\n- ${fields.join("\n  ")}\n` };
  return plimsoll(["rules", "check", "rules.yaml"], { readText: reading(files) });
}

test("a good rule has no problems", async () => {
  expect(await check()).toEqual({ code: 0, out: "rules.yaml: no problems\n", err: "" });
});

const query = (text: string) => ({ metricsQuery: `'${text}'` });

test.each<readonly [Parameters<typeof check>[0], string]>([
  [{ live: `{${rest}}` }, '6:9: rules[0].live.namespace: "" is not a namespace: use that of the pods'],
  [
    { live: "{namespace: gateway, port: metrics}" },
    "6:9: rules[0].live.podSelector: is missing: select the pods by their labels",
  ],
  [{ live: "{namespace: gateway, podSelector: {matchLabels: {app: gateway}}}" }, "6:9: rules[0].live.port: "],
  [
    { live: `{namespace: gateway, ${rest}, ports: 1}` },
    '6:89: rules[0].live.ports: unknown field "ports": did you mean port?',
  ],
  [{ live: `{namespace: gateway, ${rest}, interval: 2m}` }, 'rules[0].live.interval: "2m" cannot be used'],
  [{ source: "other" }, "7:11: rules[0].source: has no meaning with live: remove it"],
  [{ seriesQuery: `'{__name__=~"hits.*"}'` }, "rules[0].seriesQuery: "],
  [{ seriesQuery: "hits" }, "rules[0].seriesQuery: "],
  [
    query("sum(rate(<<.Series>>{<<.LabelMatchers>>}[10m])) by (<<.GroupBy>>)"),
    "a range of 10m is longer than",
  ],
  [query("rate(<<.Series>>{<<.LabelMatchers>>}[1s])"), "a range of 1s may have a single scrape"],
  [query("predict_linear(<<.Series>>{<<.LabelMatchers>>}[10s], 60)"), "isn't supported in a live query"],
  [query("sum({<<.LabelMatchers>>})"), "names no metric: use <<.Series>>{<<.LabelMatchers>>}"],
  [query("sum(<<.Series>>{<<.LabelMatchers>>}) by <<.GroupBy>>"), "the query cannot be read from"],
])("%j is an error", async (changed, message) => {
  const { code, out, err } = await check(changed);
  expect({ code, err }).toEqual({ code: 2, err: "" });
  const errors = out.split("\n").filter((line) => line.startsWith("error: "));
  expect(errors).toEqual([expect.stringMatching(/^error: rules\.yaml:\d+:\d+: rules\[0\]\.\w+/)]);
  expect(errors[0]).toContain(message);
});
