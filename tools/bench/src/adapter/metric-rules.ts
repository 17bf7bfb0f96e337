// Measures what MetricRules cost the adapter, 5,000 in 500 namespaces beside none, in one run:
//   npm run bench -- metric-rules [--rules 5000 --namespaces 500]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseManifests, until } from "@plimsoll/testbed";
import { type AdapterProcess, get, startOurs } from "./adapters.ts";
import { namespaces as withSeries } from "./fleet.ts";
import { median } from "./measure.ts";
import { type OpenBench, withBench } from "./open-bench.ts";
import { cpuSeconds, memory } from "./usage.ts";

const { values } = parseArgs({
  options: {
    rules: { type: "string", default: "5000" },
    namespaces: { type: "string", default: "500" },
    changes: { type: "string", default: "40" },
  },
});
const ruleCount = Number(values.rules);
const namespaceCount = Number(values.namespaces);
const changeCount = Number(values.changes);

const resource = "metricrules.autoscaling.plimsoll.dev";
const definitionFile = new URL(`../../../../deploy/crds/${resource}.yaml`, import.meta.url);
const settings = ["--metric-rules=true", `--metric-rule-limit=${Math.ceil(ruleCount / namespaceCount)}`];
/** Of --metrics-relist-interval, and as long once more for its queries. */
const relistMs = 65_000;

/** The first have series, the others none. */
function namespaceOf(index: number): string {
  return withSeries[index % namespaceCount] ?? `empty-${index % namespaceCount}`;
}

/** Unlike each other, so that no query is shared. */
function rule(index: number): object {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name: `rule-${index}`, namespace: namespaceOf(index), generation: 1 },
    spec: { type: "External", query: `sum(queue_depth) + ${index}` },
  };
}

interface Cost {
  readonly readyMs: number;
  /** How many have a checked status at the end of that minute. */
  readonly checked: number;
  readonly heapMb: number;
  readonly residentMb: number;
  /** Of a minute in which no rule changes, while the first checks go on. */
  readonly cpuSeconds: number;
  readonly relistRequests: number;
  readonly queries: number;
}

async function gauge(adapter: AdapterProcess, { pki }: OpenBench, name: string): Promise<number> {
  const { body } = await get(adapter.port, pki, "/metrics");
  return Number(new RegExp(`^${name.replaceAll(/[{}]/g, "\\$&")} (\\S+)$`, "m").exec(body)?.[1] ?? NaN);
}

async function measureCost(bench: OpenBench, count: number): Promise<[AdapterProcess, Cost]> {
  const { counts } = bench;
  const startedMs = performance.now();
  const adapter = await startOurs({ ...bench.settings, extraFlags: settings });
  bench.stops.push(() => adapter.stop());
  await until("all rules to be accepted", async () => {
    const accepted = await gauge(adapter, bench, 'plimsoll_adapter_metric_rules{state="accepted"}');
    return accepted === count ? true : undefined;
  });
  const readyMs = performance.now() - startedMs;
  const [before, cpuBefore] = [await counts(), cpuSeconds(adapter.pid)];
  const heaps = await sampleHeap(adapter, bench);
  const after = await counts();
  const cost = {
    readyMs,
    checked: checkedRules(bench),
    heapMb: Math.min(...heaps) / 1024 ** 2,
    residentMb: memory(adapter.pid).residentMb,
    cpuSeconds: cpuSeconds(adapter.pid) - cpuBefore,
    relistRequests: after.otherRequests - before.otherRequests,
    queries: after.queries - before.queries,
  };
  return [adapter, cost];
}

/** Once a second. The least has the least garbage in it; without allocations none is collected. */
async function sampleHeap(adapter: AdapterProcess, bench: OpenBench): Promise<readonly number[]> {
  const heaps: number[] = [];
  for (const endMs = performance.now() + relistMs; performance.now() < endMs; ) {
    heaps.push(await gauge(adapter, bench, "nodejs_heap_size_used_bytes"));
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return heaps;
}

function checkedRules({ cluster }: OpenBench): number {
  return cluster.store.list(resource).filter(({ status }) => isResolved(status)).length;
}

function isResolved(status: unknown): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string }[];
  };
  return conditions.some(({ type }) => type === "Resolved");
}

/** How long until a changed rule is served under its new name, in milliseconds. */
async function measureChanges(bench: OpenBench, adapter: AdapterProcess): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < changeCount; index += 1) {
    const place = {
      namespace: namespaceOf(index % withSeries.length),
      name: `rule-${index % withSeries.length}`,
    };
    const metric = `changed-${index}`;
    const stored = bench.cluster.store.get(resource, place.namespace, place.name);
    if (stored === undefined) throw new Error(`there is no rule ${place.name}`);
    const startedMs = performance.now();
    bench.cluster.store.update(resource, {
      ...stored,
      metadata: { ...stored.metadata, generation: index + 2 },
      spec: { type: "External", metric, query: `sum(queue_depth) + ${index}` },
    });
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${place.namespace}/${metric}`;
    while ((await get(adapter.port, bench.pki, path)).code !== 200) {
      // Asks again at once: a request takes some milliseconds.
    }
    times.push(performance.now() - startedMs);
  }
  return times.toSorted((a, b) => a - b);
}

function line(name: string, none: string, all: string): void {
  console.log(`${name.padEnd(52)} ${none.padStart(12)} ${all.padStart(12)}`);
}

await withBench("metric-rules", async (bench) => {
  for (const definition of parseManifests(readFileSync(definitionFile, "utf8")))
    bench.cluster.store.create("customresourcedefinitions.apiextensions.k8s.io", definition as never);
  const [empty, none] = await measureCost(bench, 0);
  await empty.stop();
  for (let index = 0; index < ruleCount; index += 1)
    bench.cluster.store.create(resource, rule(index) as never);
  const [adapter, all] = await measureCost(bench, ruleCount);
  const before = await bench.counts();
  const times = await measureChanges(bench, adapter);
  const changes = (await bench.counts()).otherRequests - before.otherRequests;
  const fixed = (key: keyof Cost, digits: number): [string, string] => [
    none[key].toFixed(digits),
    all[key].toFixed(digits),
  ];
  line("", "0 rules", `${ruleCount} rules`);
  line("start until all rules are accepted, ms", ...fixed("readyMs", 0));
  line(`rules with a checked status ${relistMs / 1000} s later`, ...fixed("checked", 0));
  line("least heap in use in that time, MB", ...fixed("heapMb", 1));
  line("resident memory, MB", ...fixed("residentMb", 0));
  line(`CPU in ${relistMs / 1000} s without a change, s`, ...fixed("cpuSeconds", 2));
  line("requests of relists in that time", ...fixed("relistRequests", 0));
  line("queries in that time, of checks of rules", ...fixed("queries", 0));
  console.log(
    `a changed rule is in force after ${median(times).toFixed(0)} ms (median of ${times.length}; ${(times[0] ?? NaN).toFixed(0)} to ${(times.at(-1) ?? NaN).toFixed(0)} ms; goal: 2,000 ms), with ${changes} requests of relists meanwhile`,
  );
  if ((times.at(-1) ?? NaN) > 2000) process.exitCode = 1;
});
process.exit();
