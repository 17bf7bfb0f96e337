import {
  type Autoscaler,
  type AutoscalerConfig,
  compileConfig,
  createAutoscaler,
  readCommandLine,
} from "@plimsoll/autoscaler";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { metricName } from "@plimsoll/core/internal/objects";
import { createScenario } from "@plimsoll/demo";
import { connect, type KubeClient } from "@plimsoll/kube";
import { gaugeRules, type Stack, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { example, temporaryStack } from "../fixture.ts";
import { silent } from "../silent.ts";

const PERIOD_MS = 15_000;
const workloads = ["router", "shop", "worker", "api"] as const;
type Workload = (typeof workloads)[number];

let stack: Stack;
let stop: () => Promise<void>;
let autoscaler: Autoscaler;
let autoscalerClient: KubeClient;
let clock: ManualClock;

beforeAll(async () => {
  ({ stack, stop } = await temporaryStack({
    rules: gaugeRules,
    loads: createScenario("fast").streams.map(({ load }) => load),
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s", "--metrics-result-max-age=0s"],
  }));
  await stack.apply(example("autoscalers.yaml"));
  clock = manualClock(Date.now());
  autoscalerClient = await connect({
    kubeconfig: stack.kubeconfigFor("autoscaler"),
    userAgent: "plimsoll-e2e",
  });
  autoscaler = createAutoscaler(config(), { client: autoscalerClient, clock, log: silent });
  await autoscaler.start();
});

afterAll(async () => {
  await autoscaler?.stop();
  await autoscalerClient?.close();
  await stop?.();
});

/** Total loads of one step; cpu in cores. */
interface Step {
  readonly router: number;
  readonly shop: number;
  readonly worker: number;
  readonly api: number;
  readonly apiCpu: number;
  readonly replicas: Readonly<Record<Workload, number>>;
  /** The metric that decides for `api`. */
  readonly apiLeader: string;
}

const quiet = { router: 700, shop: 1500, worker: 24, api: 350, apiCpu: 0.16 };
const rising = { router: 2600, shop: 3900, worker: 60, api: 1150, apiCpu: 0.16 };
const spike = { router: 5750, shop: 9400, worker: 140, api: 1150, apiCpu: 1.4 };

/** Computed by hand from the formula; a scale-down waits until the spike has left the window of 30 s. */
const steps: readonly Step[] = [
  { ...quiet, replicas: { router: 1, shop: 1, worker: 1, api: 1 }, apiLeader: "cpu" },
  { ...rising, replicas: { router: 3, shop: 2, worker: 2, api: 3 }, apiLeader: "packets-per-second" },
  { ...spike, replicas: { router: 6, shop: 5, worker: 5, api: 5 }, apiLeader: "cpu" },
  { ...spike, replicas: { router: 6, shop: 5, worker: 5, api: 5 }, apiLeader: "cpu" },
  { ...quiet, replicas: { router: 6, shop: 5, worker: 5, api: 5 }, apiLeader: "cpu" },
  { ...quiet, replicas: { router: 1, shop: 1, worker: 1, api: 1 }, apiLeader: "cpu" },
];

test("four workloads follow their load, replica by replica", async () => {
  const seen: Record<Workload, number>[] = [];
  const leaders: string[] = [];
  let before: Readonly<Record<Workload, number>> = { router: 1, shop: 1, worker: 1, api: 1 };
  for (const step of steps) {
    await until("all pods to be ready", () => podsAreReady(before));
    setLoad(step);
    await until("the metrics APIs to show the load", () => metricsShow(step, before));
    await decide();
    before = Object.fromEntries(workloads.map((name) => [name, replicasOf(name)])) as Record<
      Workload,
      number
    >;
    seen.push(before);
    leaders.push(leaderOfApi());
    await clock.advance(PERIOD_MS);
  }
  expect(seen).toEqual(steps.map((step) => step.replicas));
  expect(leaders).toEqual(steps.map((step) => step.apiLeader));
});

function config(): AutoscalerConfig {
  const compiled = compileConfig(
    readCommandLine([
      "--leader-elect=false",
      "--manage-hpas=all",
      // The test decides when to evaluate.
      "--horizontal-pod-autoscaler-sync-period=24h",
      "--horizontal-pod-autoscaler-downscale-stabilization=30s",
      "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
      "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
      "--port=0",
    ]),
  );
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  return compiled.config;
}

function setLoad(step: Step): void {
  stack.load.set("default/router", step.router, "packets");
  stack.load.set("default/main-route", step.shop, "requests");
  stack.load.set("default/orders", step.worker, "queue");
  stack.load.set("default/api", step.api, "packets");
  stack.load.set("default/api", step.apiCpu, "cpu");
}

interface Pod {
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Decides once more where a metric had no value: Prometheus gives up a scrape after a quarter of a second. */
async function decide(): Promise<void> {
  await until("a decision of all metrics", async () => {
    await autoscaler.sync();
    const steps = workloads.flatMap(
      (name) => autoscaler.decisions.of("default", name).at(-1)?.decision.trace ?? [],
    );
    const failed = steps.find((step) => step.kind === "metric" && step.error !== undefined);
    return failed === undefined || undefined;
  });
}

/** Every workload has exactly its replicas, all Ready. */
function podsAreReady(replicas: Readonly<Record<Workload, number>>): true | undefined {
  const pods = stack.store.list("pods", "default") as unknown as readonly Pod[];
  const settled = workloads.every((name) => {
    const own = pods.filter((pod) => pod.metadata.labels?.["app"] === name);
    const ready = own.filter((pod) =>
      pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
    return own.length === replicas[name] && ready.length === replicas[name];
  });
  return settled ? true : undefined;
}

interface MetricItems {
  readonly items: readonly { readonly value: string }[];
}

interface PodMetricsItems {
  readonly items: readonly { readonly containers: readonly { readonly usage: { readonly cpu: string } }[] }[];
}

/** The APIs answer with the very values that the load means for these replicas. */
async function metricsShow(
  step: Step,
  replicas: Readonly<Record<Workload, number>>,
): Promise<true | undefined> {
  const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
  const podMetric = (app: string) =>
    stack.client.request<MetricItems>({
      path: `${custom}/pods/*/packets-per-second`,
      query: { labelSelector: `app=${app}` },
    });
  const [router, shop, worker, api, cpu] = await Promise.all([
    podMetric("router"),
    stack.client.request<MetricItems>({
      path: `${custom}/ingresses.networking.k8s.io/main-route/requests-per-second`,
    }),
    stack.client.request<MetricItems>({
      path: "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth",
      query: { labelSelector: "queue=orders" },
    }),
    podMetric("api"),
    stack.client.request<PodMetricsItems>({
      path: "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
      query: { labelSelector: "app=api" },
    }),
  ]);
  const all = (list: MetricItems, count: number, value: number) =>
    list.items.length === count && list.items.every((item) => near(units(item.value), value, 0.001));
  const cores = cpu.items.map((item) => units(item.containers[0]?.usage.cpu ?? "0"));
  const shown =
    all(router, replicas.router, step.router / replicas.router) &&
    all(shop, 1, step.shop / replicas.shop) &&
    all(worker, 1, step.worker) &&
    all(api, replicas.api, step.api / replicas.api) &&
    cores.length === replicas.api &&
    cores.every((value) => near(value, step.apiCpu / replicas.api, 2));
  return shown ? true : undefined;
}

function near(actual: number, wanted: number, percent: number): boolean {
  return Math.abs(actual - wanted) <= (wanted * percent) / 100;
}

function units(quantity: string): number {
  const scales: Readonly<Record<string, number>> = { m: 1e-3, u: 1e-6, n: 1e-9, k: 1e3, M: 1e6 };
  const scale = scales[quantity.at(-1) ?? ""];
  return scale === undefined ? Number(quantity) : Number(quantity.slice(0, -1)) * scale;
}

function replicasOf(name: string): number {
  const deployment = stack.store.get("deployments.apps", "default", name) as unknown as {
    spec: { replicas: number };
  };
  return deployment.spec.replicas;
}

function leaderOfApi(): string {
  const latest = autoscaler.decisions.of("default", "api").at(-1);
  const combine = latest?.decision.trace.find((step) => step.kind === "combine");
  const hpa = stack.store.get("horizontalpodautoscalers.autoscaling", "default", "api") as unknown as {
    spec: { metrics: Parameters<typeof metricName>[0][] };
  };
  const spec = hpa.spec.metrics[combine?.winner ?? -1];
  return spec === undefined ? "none" : (metricName(spec) ?? spec.type);
}
