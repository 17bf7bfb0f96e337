// An adapter's rules and sources, as files that a test writes.
import { manualClock } from "@plimsoll/component-base/testing";
import { createPrometheusClient } from "@plimsoll/prometheus";
import {
  type FakeHandler,
  type FakePrometheus,
  startFakePrometheus,
  vector,
} from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { expect, onTestFinished } from "vitest";
import { createConfigFiles, followFiles } from "../../src/app/config-files.ts";
import { loadMetricRules } from "../../src/backends/metric-rules/load.ts";
import { assembleEngine } from "../../src/backends/prometheus/engine.ts";
import { fakeRules } from "../backends/metric-rules/fake-rules.ts";
import { fakeCluster, fakeMapper } from "../backends/prometheus/cluster.ts";
import { discovery, required, valueOf, waitFor } from "../backends/prometheus/harness.ts";
import { recordingLog } from "../http/fakes.ts";

export const ruleOf = (metric: string, source: string): string =>
  `- {seriesQuery: ${metric}, source: ${source}, resources: {namespaced: false}, metricsQuery: 'sum(<<.Series>>)'}\n`;
export const sourceOf = (name: string, { url }: FakePrometheus, more = ""): string =>
  `- {name: ${name}, url: "${url}"${more}}\n`;

/** A server with one series, whose value says which server it is. */
export async function server(metric: string, value: string): Promise<FakePrometheus> {
  const fake = await startFakePrometheus(healthy(metric, value));
  onTestFinished(() => fake.close());
  return fake;
}

export const healthy =
  (metric: string, value: string): FakeHandler =>
  (request) =>
    request.path === "/api/v1/query"
      ? vector([{ labels: {}, value }])
      : discovery([{ __name__: metric }], request);

export async function start(sources: string, rules: string) {
  const files = new Map([
    ["sources.yaml", `sources:\n${sources}`],
    ["rules.yaml", `externalRules:\n${rules}`],
  ]);
  const clock = manualClock(1_700_000_000_000);
  const log = recordingLog();
  const flags = await server("of_flags", "0");
  const { rulesFile, sourcesFile } = createConfigFiles(
    { configFile: "rules.yaml", sourcesFile: "sources.yaml", resultMaxAgeMs: 0 },
    {
      readText: async (path) => {
        const text = files.get(path);
        if (text === undefined) throw new Error(`ENOENT: ${path}`);
        return text;
      },
      clock,
      log,
      connectDefault: async () => ({ client: createPrometheusClient({ url: flags.url }), resultMaxAgeMs: 0 }),
    },
  );
  expect(await sourcesFile.load()).toEqual([]);
  const loaded = await rulesFile.load();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const registry = new Registry();
  const api = fakeRules();
  const ruleOptions = { namespaceLabel: "namespace", rulesPerNamespace: 50 };
  const engine = assembleEngine({
    ...(await sourcesFile.connect()),
    canChangeSources: true,
    rules: loaded.rules,
    mapper: fakeMapper(),
    reflect: (info) => fakeCluster({}).reflect(info),
    createMetricRules: required(await loadMetricRules(ruleOptions)),
    api: { client: api.client(clock) },
    clock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    registry,
    log,
  });
  const outcomes: string[] = [];
  followFiles({ rulesFile, sourcesFile }, engine, (what, outcome) => outcomes.push(`${what} ${outcome}`));
  onTestFinished(async () => {
    rulesFile.stop();
    sourcesFile.stop();
    await engine.stop();
    await sourcesFile.close();
  });
  await engine.start();
  const external = required(engine.external);
  const get = async (metric: string, namespace = "ns") =>
    await external.get({ metric, namespace, labelSelector: "", signal: () => new AbortController().signal });
  return {
    clock,
    api,
    engine,
    registry,
    sourcesFile,
    rulesFile,
    outcomes,
    files,
    get,
    problems: () => log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields["problem"]),
    value: async (metric: string, namespace?: string) => valueOf(await get(metric, namespace))[0]?.value,
    listed: (metric: string) => external.list().includes(metric),
    async write(file: "sources.yaml" | "rules.yaml", text: string): Promise<void> {
      const taken = (): number =>
        outcomes.length + log.lines.filter(({ message }) => message === "rules file changed").length;
      const known = taken();
      files.set(file, `${file === "rules.yaml" ? "externalRules" : "sources"}:\n${text}`);
      await clock.advance(2_000);
      await waitFor(() => taken() > known);
    },
  };
}
