// The recipe book: what each source exports, scraped by a real Prometheus, gives the values that the recipe promises.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "@plimsoll/component-base";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { createBuiltinMapper, loadRules } from "@plimsoll/rules";
import { type Exporters, serveExpositions, silentLog } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { assembleEngine, type Engine } from "../../src/backends/prometheus/engine.ts";
import { fakeCluster, pod } from "../backends/prometheus/cluster.ts";
import { required, valueOf, waitFor } from "../backends/prometheus/harness.ts";

interface Expected {
  /** As in `plimsoll rules test`. */
  readonly get: string;
  /** Each with its labels, or the name of its object, and its value. */
  readonly expect: readonly Readonly<Record<string, string | number>>[];
}

interface BookRecipe {
  readonly scrape: Readonly<Record<string, string>>;
  readonly prometheus?: number;
  readonly rules?: readonly unknown[];
  readonly externalRules?: readonly unknown[];
}

const book = join(import.meta.dirname, "../../../recipes/book");
const read = (name: string, file: string) => readFileSync(join(book, name, file), "utf8");
const names = globSync("*/recipe.yaml", { cwd: book })
  .map((path) => basename(dirname(path)))
  .sort();
const recipes = new Map(names.map((name) => [name, parse(read(name, "recipe.yaml")) as BookRecipe]));
const ofServer = (major: number) => names.filter((name) => (recipes.get(name)?.prometheus ?? 2) <= major);

let exporters: Exporters;
beforeAll(async () => {
  exporters = await serveExpositions(new Map(names.map((name) => [name, read(name, "exposition.txt")])));
});
afterAll(() => exporters?.close());

test("the book has the sources that it promises", () => {
  expect(names.length).toBeGreaterThanOrEqual(18);
  const runHere = names.filter((name) => read(name, "recipe.yaml").includes("\nprovenance: run here\n"));
  expect(runHere.length).toBeGreaterThanOrEqual(5);
});

test.each(names)("the rules of %s have no problems and no warnings", (name) => {
  expect(loadRules(rulesOf(name), name)).toMatchObject({ ok: true, warnings: [] });
});

describe.each([
  [2, process.env["PROMETHEUS"] ?? "prometheus"],
  [3, process.env["PROMETHEUS_3"]],
])("Prometheus %d", (major, binary) => {
  describe.skipIf(binary === undefined)("where there is one", () => {
    let prometheus: RealPrometheus;
    beforeAll(async () => {
      const configText = stringify({
        global: { scrape_interval: "1s" },
        scrape_configs: ofServer(major).map((name) => ({
          job_name: name,
          metrics_path: `/${name}`,
          static_configs: [{ targets: [exporters.address], labels: recipes.get(name)?.scrape ?? {} }],
        })),
      });
      prometheus = await startRealPrometheus(binary ?? "", undefined, { configText });
    });
    afterAll(() => prometheus?.stop());

    test.each(ofServer(major))("%s", async (name) => {
      const engine = await startEngine(prometheus.url, name);
      for (const { get, expect: expected } of parse(read(name, "expected.yaml")) as readonly Expected[])
        await expect.poll(() => valuesAt(engine, get), { message: get }).toEqual(expected.map(numbersOf));
    });
  });
});

function rulesOf(name: string): string {
  const { rules, externalRules } = required(recipes.get(name));
  return stringify({ rules, externalRules });
}

async function startEngine(url: string, name: string): Promise<Engine> {
  const loaded = loadRules(rulesOf(name), name);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const client = createPrometheusClient({ url });
  const mapper = createBuiltinMapper(loaded.rules);
  const pods = ["haproxy-0", "nginx-0", "caddy-0", "web-0", "web-1", "llama-0"].map((one) =>
    pod("shop", one),
  );
  const engine = assembleEngine({
    rules: loaded.rules,
    source: { client, resultMaxAgeMs: 0 },
    mapper: { byResource: async (text) => mapped(await mapper.byResource(text)) },
    reflect: (info) => fakeCluster({ pods }).reflect(info),
    clock: systemClock,
    relistIntervalMs: 200,
    maxAgeMs: 60_000,
    log: silentLog,
  });
  onTestFinished(async () => {
    await engine.stop();
    await client.close();
  });
  await engine.start();
  const rules = loaded.rules.custom.length + loaded.rules.external.length;
  // Each rule gives at least one metric.
  const listed = () => (engine.custom?.list().length ?? 0) + (engine.external?.list().length ?? 0);
  await waitFor(() => listed() >= rules);
  return engine;
}

function mapped<T extends object>(info: T | undefined) {
  return info === undefined
    ? undefined
    : { ...info, verbs: ["get", "list"], hasScale: false, shortNames: [] };
}

/** The values of a request, each with its labels or the name of its object. */
async function valuesAt(engine: Engine, get: string): Promise<unknown> {
  const [path = "", query] = get.split("?");
  const labelSelector = new URLSearchParams(query).get("labelSelector") ?? "";
  const [, namespace = "", ...rest] = path.split("/");
  const signal = () => new AbortController().signal;
  if (rest.length === 1) {
    const [metric = ""] = rest;
    const found = await required(engine.external).get({ namespace, metric, labelSelector, signal });
    return valueOf(found).map(({ labels, value }) => numbersOf({ ...labels, value }));
  }
  const [groupResource = "", name = "", metric = ""] = rest;
  const request = {
    namespace,
    groupResource,
    name,
    metric,
    labelSelector: "",
    metricLabelSelector: "",
    signal,
  };
  const found = await required(engine.custom).get(request);
  return valueOf(found).map(({ kind, name, value }) => numbersOf({ [kind.toLowerCase()]: name, value }));
}

/** With the value as a number of three digits: rates are not exact to the last one. */
function numbersOf(item: Readonly<Record<string, unknown>>): object {
  const value = approximateFloat(parseQuantity(String(item["value"])));
  return { ...item, value: Number(value.toPrecision(3)) };
}
