import { readFile } from "node:fs/promises";
import { systemClock } from "@plimsoll/component-base";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { startRealPrometheus } from "@plimsoll/prometheus/testing";
import { checkSources, loadSources } from "@plimsoll/rules";
import { expect, onTestFinished, test } from "vitest";
import { connectSource } from "../../src/app/sources.ts";
import { assembleEngine } from "../../src/backends/prometheus/engine.ts";
import type { Source } from "../../src/backends/prometheus/source.ts";
import { fakeCluster, fakeMapper } from "../backends/prometheus/cluster.ts";
import { required, rulesOf, valueOf, waitFor } from "../backends/prometheus/harness.ts";
import { recordingLog } from "../http/fakes.ts";

test("the page's two files serve metrics of two real servers", async () => {
  const page = await readFile(new URL("../../../../docs/sources.md", import.meta.url), "utf8");
  const [sourcesText = "", rulesText = "", allFields = ""] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, yaml = ""]) => yaml,
  );
  const binary = process.env["PROMETHEUS"] ?? "prometheus";
  const servers = await Promise.all([startRealPrometheus(binary), startRealPrometheus(binary)]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const [platform, team] = servers;
  const nowMs = Date.now();
  await platform.write([{ labels: { __name__: "node_load" }, samples: [[nowMs, 3]] }]);
  await team.write([{ labels: { __name__: "orders_waiting" }, samples: [[nowMs, 17]] }]);

  const loaded = loadSources(sourcesText.replace("http://prometheus.team-a.svc:9090", team.url));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const rules = rulesOf(rulesText);
  const usable = [{ name: "default", namespaces: undefined }, ...loaded.config.sources];
  expect(checkSources(rules, usable)).toEqual([]);
  const log = recordingLog();
  const seams = { readText: (path: string) => readFile(path, "utf8"), clock: systemClock, log };
  const sources = new Map<string, Source>();
  for (const config of loaded.config.sources)
    sources.set(config.name, await connectSource(config, { sources: 1, resultMaxAgeMs: 0 }, seams));
  const client = createPrometheusClient({ url: platform.url });
  const engine = assembleEngine({
    rules,
    source: { client, resultMaxAgeMs: 0 },
    sources,
    mapper: fakeMapper(),
    reflect: (info) => fakeCluster({}).reflect(info),
    clock: systemClock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    log,
  });
  onTestFinished(async () => {
    await engine.stop();
    await Promise.all(
      [client, ...[...sources.values()].map((source) => source.client)].map((one) => one.close()),
    );
  });
  await engine.start();
  const external = required(engine.external);
  await waitFor(() => external.list().length === 2);
  const valueNow = async (metric: string): Promise<readonly string[]> => {
    const signal = () => new AbortController().signal;
    const outcome = await external.get({ metric, namespace: "ns", labelSelector: "", signal });
    return valueOf(outcome).map(({ value }) => value);
  };
  expect(await valueNow("node_load")).toEqual(["3"]);
  expect(await valueNow("orders_waiting")).toEqual(["17"]);

  await team.stop();
  const failed = await external.get({
    metric: "orders_waiting",
    namespace: "ns",
    labelSelector: "",
    signal: () => new AbortController().signal,
  });
  expect(failed).toMatchObject({ ok: false, failure: { code: "Unavailable" } });
  expect(external.list()).toEqual(["node_load", "orders_waiting"]);
  expect(await valueNow("node_load")).toEqual(["3"]);
  expect(loadSources(allFields)).toMatchObject({ ok: true });
});
