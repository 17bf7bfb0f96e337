// A real Prometheus scrapes the autoscaler, which sends its series in parts and packed.
import { join } from "node:path";
import {
  type PlimsollProcess,
  prometheusProgram,
  type SandboxCluster,
  startPlimsoll,
  startPrometheus,
  startSandboxCluster,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { example } from "../fixture.ts";
import { ask } from "./monitoring/monitor.ts";

const objects = 100;

function fill({ store }: SandboxCluster): void {
  store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "many" } });
  for (let index = 0; index < objects; index++) {
    const metadata = { namespace: "many", name: `workload-${index}` };
    const labels = { app: metadata.name };
    store.create("deployments.apps", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels } } },
      status: { replicas: 2 },
    });
    store.create("horizontalpodautoscalers.autoscaling", {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: metadata.name },
        maxReplicas: 9,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
          },
        ],
      },
    });
  }
}

function job(name: string, { port }: PlimsollProcess): string {
  return `
  - job_name: ${name}
    honor_labels: true
    static_configs:
      - targets: ["127.0.0.1:${port}"]
`;
}

test("Prometheus takes all series of a hundred objects, and of the same only what is abnormal", async () => {
  const folder = testFolder();
  const stops: (() => Promise<void>)[] = [];
  onTestFinished(() => stopAll(stops));
  const workloads = example("workloads.yaml");
  const cluster = await startSandboxCluster({ folder, workloads, sandbox: { workloads: false } }, stops);
  fill(cluster);
  const start = async (metrics: string): Promise<PlimsollProcess> => {
    const autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${cluster.kubeconfig}`,
      "--port=0",
      "--leader-elect=false",
      "--horizontal-pod-autoscaler-sync-period=2s",
      `--object-metrics=${metrics}`,
    ]);
    stops.push(() => autoscaler.stop());
    return autoscaler;
  };
  const [all, abnormal] = [await start("all"), await start("abnormal")];
  const prometheus = await startPrometheus({
    binary: prometheusProgram(),
    folder: join(folder, "prometheus"),
    scrapeIntervalMs: 2000,
    scrapeConfigs: `${job("all", all)}${job("abnormal", abnormal)}`,
  });
  stops.push(() => prometheus.stop());
  const valueOf = async (expr: string) => Number((await ask(prometheus, expr))[0]?.value[1] ?? 0);
  const family = "plimsoll_horizontalpodautoscaler";
  const inAll = (name: string) => valueOf(`count(${family}_${name}{job="all",namespace="many"})`);
  const inAbnormal = (name: string) => valueOf(`count(${family}_${name}{job="abnormal",namespace="many"})`);
  // There is no metrics API: each condition of it is false, and each metric has a target alone.
  await until(
    "all objects are there",
    async () => (await inAll("spec_max_replicas")) === objects || undefined,
  );
  await until(
    "all conditions are there",
    async () => (await inAbnormal("status_condition")) >= objects || undefined,
  );
  expect(await valueOf(`min(up)`)).toBe(1);
  expect(await Promise.all(["info", "spec_target_metric"].map(inAbnormal))).toEqual([objects, objects]);
  expect(await Promise.all(["spec_max_replicas", "metric_proposed_replicas"].map(inAbnormal))).toEqual([
    0, 0,
  ]);
  const unreadable = (which: string) =>
    valueOf(`count(${family}_spec_target_metric{job="${which}",namespace="many"}
      unless ignoring (metric_target_type) ${family}_status_target_metric{job="${which}"})`);
  expect([await unreadable("all"), await unreadable("abnormal")]).toEqual([objects, objects]);
  expect(await valueOf('sum(plimsoll_namespace_spec_max_replicas{job="abnormal",namespace="many"})')).toBe(
    9 * objects,
  );
});
