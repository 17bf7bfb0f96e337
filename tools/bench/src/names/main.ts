// Requests to an adapter with 100,000 metric names during its relists, its memory, and its discovery:
//   npm run task -- bench-names
//   PROM_ADAPTER=/path/to/adapter npm run task -- bench-names      puts prometheus-adapter beside it
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cores, startHelper } from "@plimsoll/testbed";
import {
  type AdapterProcess,
  type AdapterSettings,
  get,
  startOurs,
  startTheirs,
} from "../adapter/adapters.ts";
import { workloads } from "../adapter/fleet.ts";
import { measure } from "../adapter/measure.ts";
import { type OpenBench, withBench } from "../adapter/open-bench.ts";
import type { Pki } from "../adapter/pki.ts";
import { memory } from "../adapter/usage.ts";
import { adapterInImage } from "../autoscaler/as-in-image.ts";
import type { NamesAddress, NamesSetup } from "./names-prometheus.ts";

const { values } = parseArgs({
  options: {
    names: { type: "string", default: "100000" },
    seconds: { type: "string", default: "30" },
    rate: { type: "string", default: "50" },
  },
});
const names = Array.from(
  { length: Number(values.names) },
  (_, at) => `metric_${String(at).padStart(6, "0")}`,
);
const relistSeconds = 5;
const customApi = "/apis/custom.metrics.k8s.io";
const discovery = `${customApi}/v1beta2`;
const rules = `rules:
  - seriesQuery: '{__name__=~"^metric_.*",namespace!="",pod!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
        pod: { resource: pod }
    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)
`;

interface Figures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly residentMb: number;
  readonly peakMb: number;
  readonly firstDiscoveryMs: number;
  /** The slowest poll. */
  readonly discoveryMs: number;
  readonly failures: number;
  readonly requests: number;
  readonly relists: number;
}

async function run(bench: OpenBench): Promise<void> {
  const [workload] = workloads;
  const pod = workload?.pods[0];
  if (workload === undefined || pod === undefined) throw new Error("the fleet has no pods");
  const { namespace } = workload;
  const fake = await startHelper(new URL("./names-prometheus.ts", import.meta.url), cores.rest);
  bench.stops.push(fake.stop);
  const setup: NamesSetup = { names, labels: { namespace, pod } };
  const address = () => fake.request<NamesAddress>(setup);
  const settings: AdapterSettings = {
    ...bench.settings,
    prometheusUrl: (await address()).url,
    rules: bench.file("names.yaml", rules),
    relistInterval: `${relistSeconds}s`,
  };
  const paths = names.slice(0, 200).map((name) => `${discovery}/namespaces/${namespace}/pods/${pod}/${name}`);
  const ready = { readyPath: paths[0] };
  const inImage = adapterInImage(join(bench.folder, "rootfs"));
  const figuresOf = async (start: () => Promise<AdapterProcess>): Promise<Figures> => {
    const adapter = await start();
    const startedMs = performance.now();
    await get(adapter.port, bench.pki, discovery);
    const firstDiscoveryMs = performance.now() - startedMs;
    const counted = { ...bench, queries: async () => (await address()).queries };
    const load = { paths, connections: 16, rate: Number(values.rate) };
    await measure(counted, adapter, { ...load, durationMs: 2_000 });
    const before = (await address()).relists;
    const polls: Promise<number>[] = [];
    const polling = setInterval(
      () => polls.push(pollDiscovery(adapter.port, bench.pki)),
      relistSeconds * 1000,
    );
    const measured = await measure(counted, adapter, { ...load, durationMs: Number(values.seconds) * 1000 });
    clearInterval(polling);
    const discoveryMs = Math.max(...(await Promise.all(polls)));
    const relists = (await address()).relists - before;
    const found = { ...measured, ...memory(adapter.pid), firstDiscoveryMs, discoveryMs, relists };
    await adapter.stop();
    return found;
  };
  const binary = process.env["PROM_ADAPTER"];
  const load = loadavg()[0] ?? NaN;
  const ours = await figuresOf(() => startOurs(settings, { ...ready, how: inImage }));
  const theirs =
    binary === undefined ? undefined : await figuresOf(() => startTheirs(binary, settings, ready));
  print(ours, theirs);
  console.log(`load before ${load.toFixed(1)}, after ${(loadavg()[0] ?? NaN).toFixed(1)}`);
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** As kube-apiserver does: the versions one by one only where there is no aggregated document. */
async function pollDiscovery(port: number, pki: Pki): Promise<number> {
  const startedMs = performance.now();
  const { code, body } = await get(port, pki, "/apis", { accept });
  if (code !== 200 || !body.startsWith('{"kind":"APIGroupDiscoveryList"'))
    for (const version of ["v1beta1", "v1beta2"]) await get(port, pki, `${customApi}/${version}`);
  return performance.now() - startedMs;
}

function print(ours: Figures, theirs: Figures | undefined): void {
  console.log(
    `${names.length} metric names, ${values.rate} requests a second, a relist every ${relistSeconds} s`,
  );
  const rows = {
    "p50, ms": "p50Ms",
    "p99, ms": "p99Ms",
    "slowest, ms": "maxMs",
    "RSS, MB": "residentMb",
    "peak RSS, MB": "peakMb",
    "first discovery, ms": "firstDiscoveryMs",
    "slowest discovery, ms": "discoveryMs",
    "failed requests": "failures",
    requests: "requests",
    "lists read": "relists",
  } as const satisfies Record<string, keyof Figures>;
  console.log("".padEnd(22), "ours".padStart(10), "peer".padStart(10), "ratio".padStart(8));
  for (const [what, key] of Object.entries(rows)) {
    const peer = theirs?.[key];
    const ratio = peer === undefined ? "" : (ours[key] / peer).toFixed(2);
    const shown = [ours[key], peer].map((one) => one?.toFixed(key === "p50Ms" ? 1 : 0) ?? "–");
    console.log(what.padEnd(22), ...shown.map((one) => one.padStart(10)), ratio.padStart(8));
  }
}

await withBench("names", run);
process.exit();
