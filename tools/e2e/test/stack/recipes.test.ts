// The recipe book from end to end: program or exposition, Prometheus, `metrics setup`, adapter, autoscaler, replicas.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { KubeObject } from "@plimsoll/kube";
import { createPrometheusClient } from "@plimsoll/prometheus";
import {
  applyManifests,
  prometheusProgram,
  runToEnd,
  type SandboxCluster,
  type Stops,
  startPrometheus,
  startSandboxCluster,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { fileFolder, serveExpositions } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { plimsoll, rulesOfChart, startAdapter, startAutoscaler } from "../recipe-processes.ts";
import { missingOf, type Program, programs } from "../recipe-programs.ts";
import { type BookRecipe, bookRecipes, definitions, objectsOf, scrapeConfigs } from "../recipe-world.ts";

const folder = fileFolder();
const stops: Stops = [];
afterAll(() => stopAll(stops));

const prometheus3 = process.env["PROMETHEUS_3"];
const recipes = bookRecipes.filter(({ prometheus }) => prometheus === 2 || prometheus3 !== undefined);
const live = new Map<string, Program>();
/** What each program gets, and the value of its metric: requests count in a range of two minutes. */
const used = (name: string) => (name === "redis" ? { count: 35, value: 35 } : { count: 1200, value: 10 });

let prometheusUrl: string;
let cluster: SandboxCluster;
const ready = new Map<string, Ready>();

beforeAll(async () => {
  const objects = [...definitions, ...recipes.flatMap(objectsOf)];
  const [started] = await Promise.all([startCluster("cluster", objects), startPrograms().then(scrapeAll)]);
  cluster = started;
  await Promise.all([...live].map(([name, program]) => program.use(used(name).count)));
  for (const recipe of recipes)
    ready.set(recipe.name, await until(`a value by ${recipe.name}`, () => setUp(recipe)));
  const all = [...ready.values()];
  const rules = all.flatMap(({ values }) => values.custom ?? []);
  const externalRules = all.flatMap(({ values }) => values.external ?? []);
  await startAdapter(cluster, adapterOptions("adapter", stringify({ rules, externalRules })));
});

const adapterOptions = (name: string, rules: string) => ({
  folder: join(folder, name),
  rules,
  prometheusUrl,
  stops,
});

async function startCluster(name: string, objects: readonly KubeObject[]): Promise<SandboxCluster> {
  const own = join(folder, name);
  mkdirSync(own);
  const workloads = join(own, "objects.yaml");
  writeFileSync(workloads, objects.map((one) => stringify(one)).join("---\n"));
  return startSandboxCluster({ folder: own, workloads }, stops);
}

async function startPrograms(): Promise<void> {
  const start = async ({ name, namespace }: BookRecipe): Promise<void> => {
    if (missingOf(name) !== undefined) return;
    const own = join(folder, name);
    mkdirSync(own);
    const program = await programs[name]?.start({ folder: own, namespace, stops });
    if (program === undefined) return;
    // Some have no series before their first request.
    if (name !== "redis") await program.use(1);
    live.set(name, program);
  };
  await Promise.all(recipes.map(start));
}

/** One Prometheus, for programs and for the expositions of the others. A rate needs a sample from before the requests. */
async function scrapeAll(): Promise<void> {
  const expositions = await serveExpositions(
    new Map(recipes.map(({ name, exposition }) => [name, exposition])),
  );
  stops.push(() => expositions.close());
  const jobs = recipes.map((recipe) => {
    const program = live.get(recipe.name);
    return program === undefined
      ? { recipe, address: expositions.address, path: `/${recipe.name}` }
      : { recipe, address: program.metrics, path: "/metrics" };
  });
  const prometheus = await startPrometheus({
    binary: prometheus3 ?? prometheusProgram(),
    folder: join(folder, "prometheus"),
    scrapeIntervalMs: 1000,
    scrapeConfigs: scrapeConfigs(jobs),
  });
  stops.push(() => prometheus.stop());
  prometheusUrl = prometheus.url;
  const client = createPrometheusClient({ url: prometheusUrl });
  stops.push(() => client.close());
  await until("a scrape of each source", async () => {
    const result = await client.query("sum(up)", { atMs: Date.now() });
    return result.type === "vector" && result.samples[0]?.value === recipes.length ? true : undefined;
  });
}

interface Values {
  readonly custom?: readonly object[];
  readonly external?: readonly object[];
}

interface Metric {
  readonly metric: { name: string; readonly selector?: { readonly matchLabels: Record<string, string> } };
  readonly target: { averageValue?: string; value?: string };
  readonly describedObject?: { readonly kind: string; readonly name: string };
}

interface Ready {
  readonly values: Values;
  readonly hpa: KubeObject;
  readonly metric: Metric;
}

const metricsSetup = ({ kubeconfig }: SandboxCluster, args: readonly string[]) =>
  plimsoll(kubeconfig, ["metrics", "setup", `--prometheus-url=${prometheusUrl}`, ...args]);

/**
 * What `metrics setup` writes, with a target for 2.2 replicas. All recipes share one adapter, so the metric's name
 * begins with the recipe's. Undefined while the program's requests are not in Prometheus.
 */
async function setUp({ name, namespace, workload }: BookRecipe): Promise<Ready | undefined> {
  const out = join(folder, `out-${name}`);
  const object = `${workload.kind}/${workload.name}`;
  const args = [object, "-n", namespace, "--recipe", name, "--yes", "--out", out];
  const printed = await metricsSetup(cluster, args);
  expect({ name, ...printed }).toMatchObject({ code: 0, errors: "" });
  const value = numberOf(/^ {2}value .* = (\S+)/m.exec(printed.out)?.[1]);
  const wanted = live.has(name) ? used(name).value : value;
  if (value < wanted * 0.95) return undefined;
  const read = (file: string): string => readFileSync(join(out, file), "utf8");
  const hpa = parse(read("hpa.yaml")) as KubeObject & { readonly spec: { readonly metrics: Sources } };
  const metric = Object.values(hpa.spec.metrics[0]).find((one) => typeof one === "object") as Metric;
  metric.metric.name = `${name}-${metric.metric.name}`;
  const target = `${Math.round((wanted / 2.2) * 1000)}m`;
  if (metric.target.value === undefined) metric.target.averageValue = target;
  else metric.target.value = target;
  return { values: prefixed(read("values.yaml"), name), hpa, metric };
}

type Sources = readonly [Readonly<Record<string, unknown>>];

const numberOf = (quantity = "0"): number => approximateFloat(parseQuantity(quantity));

function prefixed(text: string, recipe: string): Values {
  const { rules } = parse(text) as { readonly rules: Record<string, { name: { as: string } }[]> };
  for (const rule of Object.values(rules).flat()) rule.name.as = `${recipe}-${rule.name.as}`;
  return rules;
}

/** The sum of what the metrics API serves. */
async function servedValue({ namespace }: BookRecipe, { metric }: Ready): Promise<number> {
  const { name, selector } = metric.metric;
  const [labels] = Object.entries(selector?.matchLabels ?? {}).map((pair) => pair.join("="));
  const object = metric.describedObject === undefined ? "pods/*" : `services/${metric.describedObject.name}`;
  const path =
    labels === undefined
      ? `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${namespace}/${object}/${name}`
      : `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${name}`;
  const query = labels === undefined ? {} : { labelSelector: labels };
  type List = { readonly items: readonly { readonly value: string }[] };
  const { items } = await cluster.client.request<List>({ path, query });
  return items.reduce((sum, { value }) => sum + numberOf(value), 0);
}

test.for(Object.keys(programs))(
  "%s runs here, and its metric is the work that it gets",
  async (name, { skip }) => {
    const missing = missingOf(name);
    skip(missing !== undefined, `${missing} names no program`);
    const recipe = recipes.find((one) => one.name === name);
    const set = ready.get(name);
    if (recipe === undefined || set === undefined) throw new Error(`no recipe ${name}`);
    const { value } = used(name);
    // Rates are extrapolated, less and less with each scrape.
    await expect
      .poll(async () => (await servedValue(recipe, set)) / value)
      .toSatisfy((ratio: number) => ratio >= 0.95 && ratio <= 1.2);
  },
);

test("by each recipe an autoscaler scales", async () => {
  await applyManifests(
    cluster,
    [...ready.values()].map(({ hpa }) => hpa),
  );
  const autoscaler = await startAutoscaler(cluster, stops);
  const first = ({ namespace, workload: { name } }: BookRecipe) =>
    autoscaler.decisions
      .of(namespace, name)
      .map(({ decision }) => decision.scaleTo)
      .find((to) => to !== undefined);
  await until("a scale by each recipe", async () => {
    await autoscaler.sync();
    return recipes.every((recipe) => first(recipe) !== undefined) ? true : undefined;
  });
  const scaled = recipes.map((recipe) => [ready.get(recipe.name)?.metric.metric.name, first(recipe)]);
  expect(scaled).toEqual(recipes.map(({ name, metric }) => [`${name}-${metric}`, 3]));
});

test("what setup prints for a live HAProxy, applied as printed, scales the workload under load", async ({
  skip,
}) => {
  const missing = missingOf("haproxy");
  skip(missing !== undefined, `${missing} names no program`);
  const program = live.get("haproxy");
  const namespace = recipes.find(({ name }) => name === "haproxy")?.namespace;
  if (program === undefined || namespace === undefined) throw new Error("HAProxy did not start");
  // Of the name of HAProxy's backend.
  const workload = { kind: "Deployment", name: "web" } as const;
  const fresh = await startCluster("fresh", [...definitions, ...objectsOf({ namespace, workload })]);
  // 1,000 a second in the two minutes of the rate: more than one step allows, however few scrapes there are.
  await program.use(120_000);
  const out = join(folder, "printed");
  const printed = await until("setup to see the load", async () => {
    const one = await metricsSetup(fresh, ["web", "-n", namespace, "--yes", "--out", out]);
    return one.out.includes("replicas from 1 to 4 now") ? one : undefined;
  });
  expect(printed).toMatchObject({ code: 0, errors: "" });
  expect(printed.out).toContain("1. Add the rules of ");
  const rules = await rulesOfChart(join(out, "values.yaml"));
  await startAdapter(fresh, adapterOptions("printed-adapter", rules));
  const [, apply = ""] = /^ {2}3\. (kubectl apply .+)$/m.exec(printed.out) ?? [];
  expect(await runToEnd("sh", ["-c", apply], { KUBECONFIG: fresh.kubeconfig })).toMatchObject({
    code: 0,
    stderr: "",
  });
  const autoscaler = await startAutoscaler(fresh, stops);
  await until("4 replicas", async () => {
    await autoscaler.sync();
    const { spec } = fresh.store.get("deployments.apps", namespace, "web") as unknown as {
      readonly spec: { readonly replicas: number };
    };
    return spec.replicas === 4 ? true : undefined;
  });
});
