// Rules of the file with `live`: what is refused, with the field, the value, and what to do.
import { loadRules } from "@plimsoll/rules";
import { expect, test } from "vitest";
import { liveProblem } from "../../src/index.ts";

const good = {
  seriesQuery: `'hits{ingress!=""}'`,
  resources: `{template: "<<.Resource>>"}`,
  metricsQuery: `'sum(rate(<<.Series>>{<<.LabelMatchers>>}[10s])) by (<<.GroupBy>>)'`,
  live: "{namespace: gateway, podSelector: {matchLabels: {app: gateway}}, port: metrics}",
};

function problemsOf(changed: Readonly<Record<string, string>>, syntax = { liveProblem }) {
  const fields = Object.entries({ ...good, ...changed }).map(([name, value]) => `${name}: ${value}`);
  const loaded = loadRules(`rules:\n- ${fields.join("\n  ")}\n`, "rules.yaml", syntax);
  return loaded.ok ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
}

const live = (fields: string) => ({ live: `{${fields}}` });
const rest = "podSelector: {matchLabels: {app: gateway}}, port: metrics";

test("a rule with a static selector and a query over a short window is accepted", () => {
  expect(problemsOf({})).toEqual([]);
  const access = "scheme: https, tokenFile: /token, insecureSkipVerify: true";
  expect(problemsOf(live(`namespace: gateway, ${rest}, ${access}`))).toEqual([]);
});

test.each<readonly [Readonly<Record<string, string>>, string]>([
  [live(rest), `rules[0].live.namespace: "" is not a namespace: use that of the pods`],
  [
    live(`namespace: A B, ${rest}`),
    `rules[0].live.namespace: "A B" is not a namespace: use that of the pods`,
  ],
  [
    live("namespace: gateway, port: metrics"),
    "rules[0].live.podSelector: is missing: select the pods by their labels",
  ],
  [
    live(`namespace: gateway, ${rest}, interval: 2m`),
    `rules[0].live.interval: "2m" cannot be used: give whole seconds from 1s to 60s`,
  ],
  [
    live(`namespace: gateway, ${rest}, ports: 1`),
    `rules[0].live.ports: unknown field "ports": did you mean port?`,
  ],
  [
    live(`namespace: gateway, ${rest}, tokenFile: /token`),
    "rules[0].live.tokenFile: would be sent in the clear: set scheme: https",
  ],
  [
    live(`namespace: gateway, ${rest}, insecureSkipVerify: maybe`),
    'rules[0].live.insecureSkipVerify: expected true or false, got "maybe"',
  ],
  [{ live: "metrics" }, `rules[0].live: expected a mapping, got "metrics"`],
  [{ source: "other" }, "rules[0].source: has no meaning with live: remove it"],
  [
    { seriesQuery: `'{__name__=~"hits.*"}'` },
    `rules[0].seriesQuery: "{__name__=~\\"hits.*\\"}" names no single metric, which live needs: begin it with the name, such as http_requests_total{ingress!=""}`,
  ],
  [
    { metricsQuery: `'hits{ingress=~"<<index .LabelValuesByName "ingress">>"}'` },
    "rules[0].metricsQuery: .LabelValuesByName cannot be used with live: use <<.Series>>{<<.LabelMatchers>>}",
  ],
  [
    { metricsQuery: `'sum(rate(<<.Series>>{<<.LabelMatchers>>}[10m])) by (<<.GroupBy>>)'` },
    `rules[0].metricsQuery: a range of 10m is longer than the 5m that live queries keep: use a shorter one, or remove live to query Prometheus; with sample values the query is sum(rate(hits{namespace="default",pod=~"web-1|web-2"}[10m])) by (pod)`,
  ],
  [
    { metricsQuery: "'rate(<<.Series>>{<<.LabelMatchers>>}[1s])'" },
    `rules[0].metricsQuery: a range of 1s may have a single scrape at an interval of 1s: use 2s or longer, or a shorter live.interval; with sample values the query is rate(hits{namespace="default",pod=~"web-1|web-2"}[1s])`,
  ],
  [
    { metricsQuery: "'predict_linear(<<.Series>>{<<.LabelMatchers>>}[10s], 60)'" },
    `rules[0].metricsQuery: predict_linear() isn't supported in a live query: send the query to Prometheus, without "live"; with sample values the query is predict_linear(hits{namespace="default",pod=~"web-1|web-2"}[10s], 60)`,
  ],
  [
    { metricsQuery: "'sum({<<.LabelMatchers>>})'" },
    `rules[0].metricsQuery: {namespace="default",pod=~"web-1|web-2"} names no metric: use <<.Series>>{<<.LabelMatchers>>}; with sample values the query is sum({namespace="default",pod=~"web-1|web-2"})`,
  ],
])("%j is refused", (changed, problem) => {
  expect(problemsOf(changed)).toContain(problem);
});
