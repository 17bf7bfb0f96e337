import { type Awaitable, type CacheMeter, systemClock } from "@plimsoll/component-base";
import { createHeaderIdentities } from "@plimsoll/kube/serving";
import type { InstantResult, PrometheusClient } from "@plimsoll/prometheus";
import { silentLog } from "@plimsoll/testbed/world";
import { createRequestReader } from "../../../src/api/request-info.ts";
import type { Engine } from "../../../src/backends/prometheus/engine.ts";
import { assembleEngine } from "../../../src/backends/prometheus/engine.ts";
import { fakeCluster, fakeMapper, pod } from "./cluster.ts";
import { required, rulesOf, waitFor } from "./harness.ts";

const rules = rulesOf(`
rules: [{seriesQuery: 'load', resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}]
externalRules: [{seriesQuery: 'depth', resources: {overrides: {namespace: {resource: namespace}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}]
`);

/** What each cache may hold. */
export const cacheLimitsMiB = {
  results: 32,
  plans: 16,
  batches: 8,
  selectors: 8,
  selections: 16,
  metric_queries: 16,
  names: 4,
  batchable: 2,
  requests: 32,
  identities: 4,
};

/** Answers at once, with labels as long as tenants make them. */
function wordyPrometheus(): PrometheusClient {
  let serial = 0;
  return {
    async query(): Promise<InstantResult> {
      serial += 1;
      const labels = { pod: "pod-0", wordy: String(serial).repeat(300) };
      return { type: "vector", samples: [{ labels, atMs: Date.now(), value: 1 }], warnings: [], infos: [] };
    },
    queryRange: () => Promise.reject(new Error("not asked")),
    series: async () => [],
    labelNames: async () => ["namespace", "pod"],
    labelValues: async (_label, [match = ""]) => (match.startsWith("depth") ? ["depth"] : ["load"]),
    close: async () => undefined,
  };
}

async function startEngine(meter?: CacheMeter): Promise<Engine> {
  const cluster = fakeCluster({
    pods: Array.from({ length: 200 }, (_, at) => pod("ns", `pod-${String(at)}`, { app: "x" })),
  });
  const engine = assembleEngine({
    rules,
    source: { client: wordyPrometheus(), resultMaxAgeMs: 60_000 },
    meter,
    mapper: fakeMapper(),
    reflect: (info) => cluster.reflect(info),
    clock: systemClock,
    relistIntervalMs: 600_000,
    maxAgeMs: 600_000,
    log: silentLog,
  });
  await engine.start();
  await waitFor(() => engine.readiness().ready);
  return engine;
}

type Ask = (engine: Engine, serial: number) => Awaitable<unknown>;

const signal = () => new AbortController().signal;
const filler = "x".repeat(50_000);
/** Values as long as a label's may be, up to a length. */
const values = Array.from({ length: 850 }, (_, at) => `v${String(at)}-`.padEnd(58, "x")).join(",");
const list = (serial: number, length: number): string =>
  `(${String(serial)},${values.slice(0, length).replace(/[-,]+$/, "")})`;
const word = (serial: number, length: number): string => `v${String(serial)}-${filler}`.slice(0, length);

const custom = (
  engine: Engine,
  query: {
    metric?: string;
    name?: string;
    labelSelector?: string;
    metricLabelSelector?: string;
    namespace?: string;
  },
) =>
  required(engine.custom).get({
    groupResource: "pods",
    namespace: "ns",
    name: "*",
    metric: "load",
    labelSelector: "",
    metricLabelSelector: "",
    signal,
    ...query,
  });
const external = (engine: Engine, labelSelector: string, namespace = "ns") =>
  required(engine.external).get({ metric: "depth", namespace, labelSelector, signal });

/** Every way in which a caller can send what no other request has sent. */
const asks: readonly Ask[] = [
  (engine, serial) => custom(engine, { metricLabelSelector: `a in ${list(serial, 50_000)}` }),
  (engine, serial) => custom(engine, { metricLabelSelector: `a in ${list(serial, 900)}` }),
  (engine, serial) => custom(engine, { labelSelector: `app notin ${list(serial, 50_000)}` }),
  (engine, serial) => custom(engine, { labelSelector: `app notin ${list(serial, 900)}` }),
  (engine, serial) => custom(engine, { metric: word(serial, 50_000) }),
  (engine, serial) => custom(engine, { name: `pod-${String(serial)}` }),
  (engine, serial) => custom(engine, { name: "pod-0", namespace: word(serial, 60) }),
  (engine, serial) => external(engine, `queue in ${list(serial, 50_000)}`),
  (engine, serial) => external(engine, `queue in ${list(serial, 900)}`),
  (engine, serial) => external(engine, `l${String(serial)}=a,queue in ${list(serial, 400)}`),
  // A few letters of a long text.
  (engine, serial) =>
    external(
      engine,
      `q=${filler}`.replace(/^q=/, `q=${String(serial)}`).slice(0, 40),
      word(serial, 60_000).slice(0, 40),
    ),
];

const identityConfig = {
  requestHeader: {
    anchors: [],
    allowedNames: [],
    usernameHeaders: ["x-remote-user"],
    uidHeaders: [],
    groupHeaders: ["x-remote-group"],
    extraHeaderPrefixes: ["x-remote-extra-"],
  },
  clientCa: [],
};

/** Sends so many requests, none like another, through what is between the socket and Prometheus. */
export async function sendHostile(count: number, meter?: CacheMeter): Promise<void> {
  const engine = await startEngine(meter);
  const read = createRequestReader(meter);
  const identityOf = createHeaderIdentities(meter);
  for (let serial = 0; serial < count; serial += 1) {
    read(
      "GET",
      `/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/load?a=${word(serial, serial % 3 === 0 ? 50_000 : 900)}`,
    );
    identityOf(
      [`X-${word(serial, 5_000)}`, "1", "X-Remote-User", word(serial, serial % 3 === 0 ? 50_000 : 1_500)],
      identityConfig,
    );
    await asks[serial % asks.length]?.(engine, serial);
  }
  await engine.stop();
}
