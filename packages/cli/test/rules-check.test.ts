import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

/** Processes start slowly where many do at once. */
vi.setConfig({ testTimeout: 60_000 });

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const good = `rules:
- seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
  resources: {template: "<<.Resource>>"}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[10s])) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: 'queue_depth'
  resources: {namespaced: false}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'
`;

let directory: string;
let prometheus: RealPrometheus;
let scrapes = 0;
const exporter = createServer((_request, response) => {
  // Prometheus 3 takes no answer without its type.
  response.setHeader("content-type", "text/plain; version=0.0.4");
  scrapes += 1;
  response.end(
    [
      `http_requests_total{namespace="shop",pod="web-1"} ${scrapes * 10}`,
      `http_requests_total{namespace="shop",pod="web-2"} ${scrapes * 20}`,
      'queue_depth{queue="a"} 30',
      'queue_depth{queue="b"} 1500',
      'gauge{namespace="shop",pod="web-1"} NaN',
      'container_memory_working_set_bytes{namespace="shop",pod="web-1",container="main"} 1048576',
      "",
    ].join("\n"),
  );
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "plimsoll-cli-"));
  await writeFile(join(directory, "good.yaml"), good);
  await new Promise<void>((resolve) => exporter.listen(0, "127.0.0.1", resolve));
  const { port } = exporter.address() as AddressInfo;
  prometheus = await startRealPrometheus({
    binary: process.env["PROMETHEUS"] ?? "prometheus",
    targets: [`127.0.0.1:${port}`],
  });
  await vi.waitUntil(() => scrapes > 3, { timeout: 40_000 });
}, 60_000);

afterAll(async () => {
  await prometheus.stop();
  exporter.closeAllConnections();
  exporter.close();
  await rm(directory, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function plimsoll(
  args: readonly string[],
  options: { program?: string; input?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=@plimsoll/source", options.program ?? main, ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"] },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  child.stdin.end(options.input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

test("a good file has no problems", async () => {
  expect(await plimsoll(["rules", "check", "good.yaml"])).toEqual({
    code: 0,
    out: "good.yaml: no problems\n",
    err: "",
  });
});

test("every problem and every warning comes with its line, and ends with 2", async () => {
  const bad =
    "rules:\n- seriesQueri: a\n  name: {matches: '(('}\n- seriesQuery: b\n  metricsQuery: '<<.Series'\n";
  await writeFile(join(directory, "bad.yaml"), bad);
  const ended = await plimsoll(["rules", "check", "bad.yaml"]);
  expect([ended.code, ended.err]).toEqual([2, ""]);
  expect(ended.out.trimEnd().split("\n")).toEqual([
    'error: bad.yaml:2:3: rules[0].seriesQueri: unknown field "seriesQueri": did you mean seriesQuery?',
    expect.stringMatching(
      /^error: bad\.yaml:3:19: rules\[0\]\.name\.matches: not a regular expression of RE2: /,
    ),
    expect.stringMatching(/^error: bad\.yaml:5:\d+: rules\[1\]\.metricsQuery: /),
    expect.stringMatching(/^warning: bad\.yaml:2:3: rules\[0\]: there is no seriesQuery/),
    expect.stringMatching(/^warning: bad\.yaml:2:3: rules\[0\]: there are no resources/),
    expect.stringMatching(/^warning: bad\.yaml:2:3: rules\[0\]\.metricsQuery: there is no query/),
    expect.stringMatching(/^warning: bad\.yaml:4:3: rules\[1\]: there are no resources/),
    "",
    "bad.yaml: 3 errors, 4 warnings",
  ]);
  const warned = await plimsoll(["rules", "check", "-"], { input: good.replace(/\$\{1\}/, () => "$1") });
  expect(warned.code).toBe(2);
  expect(warned.out).toContain("warning: -:4:");
  expect(warned.out).toContain("was probably meant");
});

test("against a Prometheus: what each rule finds, and what its query gives", async () => {
  const ended = await plimsoll(["rules", "check", "good.yaml", "--against", prometheus.url]);
  expect([ended.code, ended.err]).toEqual([0, ""]);
  expect(ended.out).toMatch(
    new RegExp(
      [
        "^\nrules\\[0\\]: 3 metrics",
        "  jobs.batch/http_requests_per_second  from http_requests_total",
        "  namespaces/http_requests_per_second  from http_requests_total",
        "  pods/http_requests_per_second  from http_requests_total",
        '  query: sum\\(rate\\(http_requests_total\\{namespace="shop",pod="web-[12]"\\}\\[10s\\]\\)\\) by \\(pod\\)',
        '    \\{pod="web-[12]"\\}  \\d+m?',
        "",
        "externalRules\\[0\\]: 1 metric",
        "  queue_depth  from queue_depth",
        "  query: sum\\(queue_depth\\{\\}\\) by \\(queue\\)",
        '    \\{queue="[ab]"\\}  (30|1500)',
        '    \\{queue="[ab]"\\}  (30|1500)',
        "",
        "good.yaml: no problems\n$",
      ].join("\n"),
    ),
  );
});

test("rules that find nothing, give nothing or lose the label are findings", async () => {
  const overrides = "{namespace: {resource: namespace}, pod: {resource: pod}}";
  const rule = (series: string, query: string): string =>
    `- {seriesQuery: '${series}', resources: {overrides: ${overrides}}, metricsQuery: '${query}'}\n`;
  const resources =
    "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}, node: {resource: node}}}";
  await writeFile(
    join(directory, "odd.yaml"),
    `rules:
${rule("no_such_series", "x{<<.LabelMatchers>>}")}${rule("gauge", "<<.Series>>{<<.LabelMatchers>>}")}${rule("gauge", "sum(<<.Series>>{<<.LabelMatchers>>})")}${rule("gauge", "sum(<<.Series>>{<<.LabelMatchers>>}) by (")}${rule("gauge{", "<<.Series>>{<<.LabelMatchers>>}")}- {seriesQuery: gauge, resources: {overrides: {namespace: {resource: namespace}, pod: {group: cheese.io, resource: brand}}}, metricsQuery: 'max(<<.Series>>{<<.LabelMatchers>>} + 1 or vector(1)) by (<<.GroupBy>>)'}
resourceRules:
  cpu: {containerQuery: 'nothing{<<.LabelMatchers>>}', nodeQuery: 'nothing{<<.LabelMatchers>>}', ${resources}, containerLabel: container}
  memory: {containerQuery: 'sum(container_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)', nodeQuery: 'nothing{<<.LabelMatchers>>}', ${resources}, containerLabel: container}
  window: 1m
`,
  );
  const ended = await plimsoll(["rules", "check", "odd.yaml", "--against", prometheus.url, "-o", "json"]);
  expect([ended.code, ended.err]).toEqual([2, ""]);
  const report = JSON.parse(ended.out);
  expect(report).toMatchObject({ schema: "plimsoll/rules-check/v1", file: "odd.yaml", ok: false });
  expect(report.notes).toEqual([expect.stringContaining("brand.cheese.io")]);
  const findings = Object.fromEntries(
    report.rules.map(({ path, findings: found }: { path: string; findings: string[] }) => [path, found]),
  );
  expect(findings).toEqual({
    "rules[0]": ["it finds no metrics"],
    "rules[1]": ["no value is a number"],
    "rules[2]": ["the result does not carry the label pod"],
    "rules[3]": [expect.stringContaining("parse error")],
    "rules[4]": [expect.stringContaining("parse error")],
    "rules[5]": [expect.stringContaining("several series for one object")],
    "resourceRules.cpu.containerQuery": ["the query gives nothing"],
    "resourceRules.cpu.nodeQuery": ["the query gives nothing"],
    "resourceRules.memory.containerQuery": [],
    "resourceRules.memory.nodeQuery": ["the query gives nothing"],
  });
});

test.each([
  [
    ["rules", "check", "missing.yaml"],
    /^error: cannot read missing\.yaml: there is no such file; check the path\n$/,
  ],
  [
    ["rules", "check", "good.yaml", "--against", "http://127.0.0.1:1"],
    /^error: cannot query Prometheus at http/,
  ],
  [["rules", "check", "good.yaml", "--against", "nonsense"], /^error: cannot query Prometheus/],
  [
    ["rules", "check", "good.yaml", "-o", "xml"],
    /^error: option '-o, --output <FORMAT>' argument 'xml' is invalid/,
  ],
  [["rules", "check"], /^error: missing required argument 'FILE'/],
  [["rule"], /^error: unknown command 'rule'/],
  [
    ["rules", "check", "good.yaml", "--against", "http://127.0.0.1:1", "--max-age", "soon"],
    /^error: --max-age: "soon" is not a duration above zero/,
  ],
])("what the command cannot do ends with 1: %j", async (args, message) => {
  const ended = await plimsoll(args);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toMatch(message);
});

test.each(["soon", "-5m", "0"])("--max-age %s is refused without a Prometheus as well", async (maxAge) => {
  const ended = await plimsoll(["rules", "check", "good.yaml", `--max-age=${maxAge}`]);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toContain("is not a duration above zero");
});

test.each(["", "# nothing\n", "rules: []\n", "{}\n", "---\n"])(
  "a file without rules is a finding: %j",
  async (input) => {
    const ended = await plimsoll(["rules", "check", "-"], { input });
    expect(ended.code).toBe(2);
    expect(ended.out).toContain("there are no rules, so no metric is served: add rules,");
  },
);

test("warnings are shown beside errors, and queries are parsed without a Prometheus", async () => {
  const input = `rules:
- seriesQuery: 'sum(a)'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m]) by (<<.GroupBy>>)'
- seriesQuery: 'b{'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
- seriesQuery: c
  nam: {}
`;
  const ended = await plimsoll(["rules", "check", "-"], { input });
  expect(ended.code).toBe(2);
  const lines = ended.out.split("\n").map((line) => line.replace(/^(\w+: -:\d+):\d+:/, "$1:"));
  expect(lines.slice(0, 6)).toEqual([
    expect.stringMatching(/^error: -:9: rules\[2\]\.nam: unknown field "nam": did you mean name\?/),
    expect.stringMatching(
      /^warning: -:2: rules\[0\]\.seriesQuery: seriesQuery selects no series: it is not a selector/,
    ),
    expect.stringMatching(
      /^warning: -:4: rules\[0\]\.metricsQuery: the query is not PromQL: it .*; with sample values it is sum\(rate\(sample_series\{/,
    ),
    expect.stringMatching(
      /^warning: -:5: rules\[1\]\.seriesQuery: seriesQuery selects no series: it ends too early/,
    ),
    expect.stringMatching(/^warning: -:8: rules\[2\]: there are no resources/),
    expect.stringMatching(/^warning: -:8: rules\[2\]\.metricsQuery: there is no query/),
  ]);
});

test("it is a plugin of kubectl too", async () => {
  const program = join(directory, "kubectl-plimsoll");
  await symlink(main, program);
  const ended = await plimsoll(["rules", "check", "--help"], { program });
  expect(ended.code).toBe(0);
  expect(ended.out).toContain("Usage: kubectl plimsoll rules check [options] <FILE>");
  expect((await plimsoll(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
