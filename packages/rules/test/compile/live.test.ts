import { expect, test } from "vitest";
import { loadRules } from "../../src/compile/load.ts";
import { formatProblem } from "../../src/document/problem.ts";

const plain = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)";
const good = "namespace: web, podSelector: {matchLabels: {app: a}}, port: 9090";

interface Rule {
  readonly live?: string;
  readonly series?: string;
  readonly query?: string;
  readonly rest?: string;
  readonly liveProblem?: "off" | ((query: string) => string | undefined);
}

function load({ live = good, series = "x", query = plain, rest = "", liveProblem = () => undefined }: Rule) {
  const text = `rules:\n- seriesQuery: '${series}'\n  metricsQuery: "${query}"\n${rest}  live: {${live}}\n`;
  return loadRules(text, "rules.yaml", { liveProblem });
}

test("pods that are scraped for a rule", () => {
  const all = `${good}, path: /m, scheme: https, interval: 2s, tokenFile: /token, insecureSkipVerify: true`;
  const [usual, whole] = [load({}), load({ live: all })];
  expect(usual.ok && usual.rules.custom[0]?.live).toMatchObject({ namespace: "web", tokenFile: undefined });
  expect(whole.ok && whole.rules.custom[0]?.live).toEqual({
    namespace: "web",
    podSelector: { matchLabels: { app: "a" } },
    port: 9090,
    path: "/m",
    scheme: "https",
    interval: "2s",
    tokenFile: "/token",
    insecureSkipVerify: true,
  });
});

const rest = '  resources: {template: "<<.Resource>>"}\n';

test.each<[Rule, readonly string[]]>([
  [
    { live: "" },
    [
      "rules.yaml:4:9: rules[0].live.port: is missing: give the name or the number of a declared container port",
      'rules.yaml:4:9: rules[0].live.namespace: "" is not a namespace: use that of the pods',
      "rules.yaml:4:9: rules[0].live.podSelector: is missing: select the pods by their labels",
    ],
  ],
  [
    { live: "namespace: Web, podSelector: {}, port: '9090'" },
    [
      'rules.yaml:4:21: rules[0].live.namespace: "Web" is not a namespace: use that of the pods',
      'rules.yaml:4:49: rules[0].live.port: "9090" cannot be used: write a number without quotes',
    ],
  ],
  [
    { live: `${good}, tokenFile: /token` },
    ["rules.yaml:4:87: rules[0].live.tokenFile: would be sent in the clear: set scheme: https"],
  ],
  [{ rest: "  source: other\n" }, ["rules.yaml:4:11: rules[0].source: has no meaning with live: remove it"]],
  [
    { liveProblem: "off" },
    [
      "rules.yaml:4:9: rules[0].live: pods are not scraped: start the adapter with --live-metrics, or remove the field",
    ],
  ],
  [
    { series: '{__name__=~"x.*"}' },
    [
      'rules.yaml:2:16: rules[0].seriesQuery: "{__name__=~\\"x.*\\"}" names no single metric, which live needs: begin it with the name, such as http_requests_total{ingress!=""}',
    ],
  ],
  [
    { rest },
    [
      'rules.yaml:2:16: rules[0].seriesQuery: "x" demands no label that resources.template could find: add them, such as x{namespace!="",ingress!=""}',
    ],
  ],
  [{ rest, series: 'x{namespace!=""}' }, []],
  [
    { query: "sum(x{pod='<<.LabelValuesByName.pod>>'})" },
    [
      "rules.yaml:3:17: rules[0].metricsQuery: .LabelValuesByName cannot be used with live: use <<.Series>>{<<.LabelMatchers>>}",
    ],
  ],
  [{ query: "", liveProblem: () => "bad" }, []],
  [
    { query: " sum(  <<.Series>>{<<.LabelMatchers>>}) ", liveProblem: (query) => `bad ${query.length}` },
    [
      'rules.yaml:3:17: rules[0].metricsQuery: bad 50; with sample values the query is sum( x{namespace="default",pod=~"web-1|web-2"})',
    ],
  ],
])("what keeps pods from being scraped: %j", (rule, expected) => {
  const loaded = load(rule);
  const found = loaded.ok ? [] : loaded.problems.map((problem) => formatProblem("rules.yaml", problem));
  expect(found).toEqual(expected);
});
