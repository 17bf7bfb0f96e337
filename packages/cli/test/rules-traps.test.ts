// The traps that operators of prometheus-adapter report most often: each is named, and its advice makes it go.
import { createServer } from "node:http";
import { listen } from "@plimsoll/testbed/world";
import { describe, expect, test } from "vitest";
import { startEmptyPrometheus } from "./prometheus-with-token.ts";
import { plimsoll } from "./run-plimsoll.ts";
import { usePrometheus } from "./use-prometheus.ts";

const prometheus = usePrometheus((scrape) => [
  `istio_requests_total{destination_service_name="web",destination_workload_namespace="shop"} ${scrape * 5}`,
  'kafka_lag{topic="orders",namespace="queues"} 10',
  'queue_size{queue="a"} 3',
  'disk_used{persistentvolume="pv-1",job="csi"} 3',
  'old_size{namespace="shop",pod="web-1"} 1',
  'new_size{namespace="shop",pod="web-1"} 1',
  'node_cpu{instance="10.0.0.1:10250",node="node-1",id="/"} 1',
  'container_cpu{namespace="shop",pod="web-1",container="main"} 1',
]);

async function rules(file: string, command: "check" | "query", args: readonly string[]) {
  const named = command === "check" ? ["rules.yaml", ...args] : [...args, "-f", "rules.yaml"];
  const { code, out, err } = await plimsoll(["rules", command, ...named, "--against", prometheus.url], {
    readText: async () => file,
    nowMs: () => Date.now(),
  });
  return { code, text: `${out}${err}`.replaceAll(/\s+/g, " ") };
}

describe("or vector(0)", () => {
  const overrides =
    "{destination_service_name: {resource: service}, destination_workload_namespace: {resource: namespace}}";
  const file = `rules:\n- {seriesQuery: 'istio_requests_total{destination_service_name!=""}', resources: {overrides: ${overrides}}, name: {as: rps}, metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[10s]) or vector(0)) by (<<.GroupBy>>)'}\n`;

  test("is no finding, since its sample is of no object", async () => {
    expect(await rules(file, "check", [])).toMatchObject({ code: 0 });
  });

  test("is the cause where a service has no series", async () => {
    const args = ["rps", "-n", "shop", "--resource", "services", "--name", "api"];
    const { text } = await rules(file, "query", args);
    expect(text).toContain("the result has no label destination_service_name");
    expect(text).toContain("only vector(…) has a value, and it has no labels");
    expect(text).not.toContain("by (<<.GroupBy>>)");
  });
});

test("an external metric of another namespace: namespaced: false serves it", async () => {
  const file = (resources: string) =>
    `externalRules:\n- {seriesQuery: kafka_lag, resources: ${resources}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (topic)'}\n`;
  const args = ["kafka_lag", "-n", "shop", "--resource", "external"];
  const before = await rules(file("{template: <<.Resource>>}"), "query", args);
  expect(before.text).toContain('series have namespace="queues" (1 of 1); none is in shop');
  expect(before.text).toContain("set externalRules[0].resources.namespaced: false");
  const after = await rules(file("{template: <<.Resource>>, namespaced: false}"), "query", args);
  expect(after.text).toContain("served 200, 1 item");
});

test("nodes by the address of their kubelet: another label gives their names", async () => {
  const resource = (label: string) =>
    `{containerQuery: 'sum(container_cpu{<<.LabelMatchers>>}) by (<<.GroupBy>>)', nodeQuery: 'sum(node_cpu{<<.LabelMatchers>>,id="/"}) by (<<.GroupBy>>)', resources: {overrides: {${label}: {resource: node}, namespace: {resource: namespace}, pod: {resource: pod}}}, containerLabel: container}`;
  const file = (label: string) =>
    `resourceRules:\n  cpu: ${resource(label)}\n  memory: ${resource(label)}\n  window: 1m\n`;
  const before = await rules(file("instance"), "check", []);
  expect(before.code).toBe(2);
  expect(before.text).toContain(
    'no node can be called "10.0.0.1:10250", the value of label instance, so kubectl top nodes stays empty',
  );
  expect(await rules(file("node"), "check", [])).toMatchObject({ code: 0 });
});

test("a volume's series is read by its name, though the label job reads as a resource too", async () => {
  const file = `rules:\n- {seriesQuery: disk_used, resources: {template: <<.Resource>>}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}\n`;
  const { code, text } = await rules(file, "check", []);
  expect([code, text]).toEqual([
    0,
    expect.stringContaining('query: sum(disk_used{persistentvolume="pv-1"})'),
  ]);
});

test.each([
  ["{matches: ^(old|new)_size$, as: size}", "pods/size comes from the series old_size instead"],
  ["{matches: ^(old|new)_size$}", undefined],
])("%s: series of one name", async (name, finding) => {
  const file = `rules:\n- {seriesQuery: '{__name__=~".+_size",pod!=""}', resources: {template: <<.Resource>>}, name: ${name}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}\n`;
  const { code, text } = await rules(file, "check", []);
  expect([code, text]).toEqual([
    finding === undefined ? 0 : 2,
    expect.stringContaining(finding ?? "pods/old"),
  ]);
});

test.each(["check", "query"] as const)(
  "rules %s: one number is not the value of an object",
  async (command) => {
    const file = `rules:\n- {seriesQuery: new_size, resources: {template: <<.Resource>>}, metricsQuery: 'scalar(<<.Series>>{<<.LabelMatchers>>})'}\n`;
    const args = command === "check" ? [] : ["new_size", "-n", "shop", "--resource", "pods"];
    expect((await rules(file, command, args)).text).toContain("the query returned a scalar");
  },
);

test.each([
  ['sum(<<.Series>>{<<.LabelMatchers>>,queue=~"a|b"})', 'sum(<<.Series>>{queue=~"a|b",<<.LabelMatchers>>})'],
  ["max by (queue) (<<.Series>>)", "max by (queue) (<<.Series>>{<<.LabelMatchers>>})"],
  ["sum(rate(<<.Series>>{<<.LabelMatchers>>}))", "sum(rate(<<.Series>>{<<.LabelMatchers>>}[30s]))"],
])("%s: the advice makes the finding go", async (before, after) => {
  const file = (query: string) =>
    `externalRules:\n- {seriesQuery: queue_size, resources: {namespaced: false}, metricsQuery: '${query}'}\n`;
  expect((await rules(file(before), "check", [])).code).toBe(2);
  expect(await rules(file(after), "check", [])).toMatchObject({ code: 0 });
  const args = ["queue_size", "--resource", "external"];
  const noted = "note: rules.yaml:2:75: externalRules[0].metricsQuery: ";
  expect((await rules(file(before), "query", args)).text).toContain(noted);
  expect((await rules(file(after), "query", args)).text).not.toContain("note:");
});

test("where no rule gives the metric, rules query notes the rule whose name.matches leaves out its series", async () => {
  const file =
    "rules:\n- {seriesQuery: kafka_lag, name: {matches: lag_of, as: lag}, resources: {template: <<.Resource>>}, metricsQuery: 'sum(rate(<<.Series>>))'}\n";
  const { code, text } = await rules(file, "query", ["lag"]);
  expect(code).toBe(2);
  expect(text).toContain("rules[0].name: does not match kafka_lag, which seriesQuery selects");
  expect(text).not.toContain("metricsQuery");
});

test.each(["check", "query"] as const)(
  "rules %s sends a header to servers with several tenants",
  async (command) => {
    const { url, caPem, tenants } = await startEmptyPrometheus();
    const file =
      "rules:\n- {seriesQuery: x, resources: {template: <<.Resource>>}, metricsQuery: 'sum(x{<<.LabelMatchers>>})'}\n";
    const readText = async (path: string) => (path === "ca.crt" ? caPem : file);
    const named = command === "check" ? ["rules.yaml"] : ["x", "-f", "rules.yaml"];
    const args = ["rules", command, ...named, "--against", url, "--ca-file=ca.crt"];
    await plimsoll([...args, "--prometheus-header", "X-Scope-OrgID=team"], {
      readText,
      nowMs: () => Date.now(),
    });
    expect([...tenants]).toEqual(["team"]);
    const wrong = await plimsoll([...args, "--prometheus-header", "secret"], { readText });
    expect([wrong.code, wrong.err]).toEqual([1, "error: --prometheus-header must be NAME=VALUE\n"]);
  },
);

describe("--sources-config, as the adapter reads it", () => {
  const rule = (series: string, source: string) =>
    `- {seriesQuery: ${series}, ${source}resources: {template: <<.Resource>>}, metricsQuery: 'sum(${series}{<<.LabelMatchers>>})'}\n`;
  const rulesFile = `externalRules:\n${rule("here", "")}${rule("there", "source: mimir, ")}`;

  async function servers() {
    const [first, second] = [await startEmptyPrometheus(), await startEmptyPrometheus()];
    const files: Readonly<Record<string, string>> = {
      "rules.yaml": rulesFile,
      "sources.yaml": `sources:\n- {name: default, url: "${first.url}", tls: {caFile: a.crt}}\n- {name: mimir, url: "${second.url}", headers: {X-Scope-OrgID: team}, auth: {type: bearer, tokenFile: token}, tls: {caFile: b.crt}}\n`,
      "a.crt": first.caPem,
      "b.crt": second.caPem,
      token: "secret\n",
    };
    return { first, second, files };
  }

  test.each([
    ["check", ["rules.yaml"]],
    ["query", ["there", "-f", "rules.yaml", "--resource", "external"]],
  ] as const)(
    "rules %s queries the server of each rule with its own header and token",
    async (command, args) => {
      const { first, second, files } = await servers();
      const readText = async (path: string) => files[path] ?? "";
      const { code, err } = await plimsoll(["rules", command, ...args, "--sources-config=sources.yaml"], {
        readText,
        nowMs: () => Date.now(),
      });
      expect([code, err]).toEqual([2, ""]);
      expect([...second.tenants, ...second.authorizations]).toEqual(["team", "Bearer secret"]);
      expect([...first.tenants, ...first.authorizations]).toEqual([undefined, undefined]);
    },
  );

  test("--against takes the place of the file's default source, whose files are not read", async () => {
    const { first, files } = await servers();
    const file = `sources:\n- {name: default, url: "http://127.0.0.1:9", tls: {caFile: absent.crt}}\n`;
    const readText = async (path: string) => {
      const text = { ...files, "sources.yaml": file, "rules.yaml": `externalRules:\n${rule("here", "")}` }[
        path
      ];
      if (text === undefined) throw new Error(`no ${path}`);
      return text;
    };
    const args = ["--sources-config=sources.yaml", "--against", first.url, "--ca-file", "a.crt"];
    const { err } = await plimsoll(["rules", "check", "rules.yaml", ...args], {
      readText,
      nowMs: () => Date.now(),
    });
    expect([err, first.tenants.size > 0]).toEqual(["", true]);
  });

  test("rules query shows the later of two rules of one metric, whichever server comes first", async () => {
    const rules = (sources: readonly string[]) =>
      `externalRules:\n${sources.map((source) => `- {seriesQuery: kafka_lag, source: ${source}, resources: {namespaced: false}, name: {as: lag}, metricsQuery: 'sum(kafka_lag{<<.LabelMatchers>>}) * ${source === "a" ? 1 : 2}'}\n`).join("")}`;
    const sources = `sources:\n${["a", "b"].map((name) => `- {name: ${name}, url: "${prometheus.url}"}\n`).join("")}`;
    const served = async (order: readonly string[]) => {
      const args = [
        "lag",
        "-f",
        "rules.yaml",
        "--resource",
        "external",
        "--sources-config=sources.yaml",
        "-o",
        "json",
      ];
      const { out } = await plimsoll(["rules", "query", ...args], {
        readText: async (path) => (path === "sources.yaml" ? sources : rules(order)),
        nowMs: () => Date.now(),
      });
      const { candidates, served: result } = JSON.parse(out);
      return [candidates.map(({ promql }: { promql: string }) => promql.at(-1)), result.items[0].value];
    };
    expect(await served(["a", "b"])).toEqual([["1", "2"], "20"]);
    expect(await served(["b", "a"])).toEqual([["2", "1"], "10"]);
  });

  test("queries go through the proxy of the environment, those of a source through its own", async () => {
    const targets: string[] = [];
    const proxy = createServer(({ url = "" }, response) => {
      targets.push(new URL(url).hostname);
      response.end('{"status":"success","data":{"resultType":"vector","result":[]}}');
    });
    const { host } = await listen(proxy);
    const url = `http://${host}`;
    const sources =
      "sources:\n- {name: default, url: 'http://default.invalid'}\n- {name: mimir, url: 'http://mimir.invalid'}\n";
    const readText = async (path: string) => (path === "sources.yaml" ? sources : rulesFile);
    const run = (...args: string[]) =>
      plimsoll(["rules", "check", "rules.yaml", ...args], {
        readText,
        nowMs: () => Date.now(),
        env: { HTTP_PROXY: url },
      });
    await run("--sources-config=sources.yaml");
    expect(new Set(targets)).toEqual(new Set(["default.invalid", "mimir.invalid"]));
    await run("--against=http://against.invalid", "--sources-config=sources.yaml");
    expect(targets).toContain("against.invalid");
  });

  test.each([
    [
      "sources:\n- {name: other, url: 'http://127.0.0.1:9'}\n",
      'there is no source "mimir": use one of default, other',
    ],
    [
      "sources:\n- {name: mimir, url: 'http://127.0.0.1:9'}\n",
      "some rules have no source: set --against URL, or add a source default to sources.yaml",
    ],
    [
      "sources:\n- {name: mimir, url: 'http://127.0.0.1:9', auth: {type: google}}\n",
      "source mimir: auth of type google works in metrics-adapter only",
    ],
    ["sources: 5\n", "sources.yaml:1:10:"],
  ])("%j is refused with what to do", async (sources, message) => {
    const readText = async (path: string) => (path === "sources.yaml" ? sources : rulesFile);
    const ran = await plimsoll(["rules", "check", "rules.yaml", "--sources-config=sources.yaml"], {
      readText,
    });
    expect(ran.code).toBeGreaterThan(0);
    expect(`${ran.out}${ran.err}`).toContain(message);
  });
});
