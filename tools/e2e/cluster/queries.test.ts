// WorkloadAutoscalers that bring their queries along, with a real Prometheus: nothing else says what their metrics are.
import type { HpaStatus } from "@plimsoll/core";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownLease, shipped } from "./fixture.ts";
import { type Stage, stages } from "./stages.ts";
import { depthFor, perReplica, queue, workload } from "./targets.ts";

const api = "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers";
const metrics = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default";

interface Query {
  readonly name: string;
  readonly metric: string;
  readonly query?: string;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

interface Stored {
  readonly status?: HpaStatus & { readonly queries?: readonly Query[]; readonly targets?: string };
}

const target = { type: "AverageValue", averageValue: String(perReplica) };
const query = (promql: string, rest: object = {}) => ({ type: "Query", query: { promql, target, ...rest } });
const depth = (name: string) => `sum(queue_depth{queue="${name}"})`;

/** Every move is allowed at once. */
const spec = (list: readonly object[]) => ({
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
  minReplicas: 1,
  maxReplicas: 10,
  tuning: { syncPeriodSeconds: 1, downscaleStabilizationSeconds: 0 },
  behavior: {
    scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 10, periodSeconds: 1 }] },
    scaleDown: { policies: [{ type: "Pods", value: 10, periodSeconds: 1 }] },
  },
  metrics: list,
});

describe.each(stages)("on %s", (_, start) => {
  let stage: Stage;
  let autoscaler: PlimsollProcess;

  beforeAll(async () => {
    stage = await start({
      loads: [
        queue("orders", depthFor(3)),
        queue("mails", depthFor(1)),
        { ...queue("orders", depthFor(9)), namespace: "kube-system" },
        { ...queue("shop", depthFor(1)), kind: "Deployment", metric: "packets" },
      ],
      // The adapter has no more rights than the manifests give it.
      workloads: [
        shipped("kustomize/components/metric-rules/rbac.yaml"),
        shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"),
        workload("Deployment", "shop"),
      ].join("\n---\n"),
      adapterArgs: ["--metric-rules=true"],
    });
    await until("WorkloadAutoscalers to be served", async () => {
      await stage.mapper.refresh();
      const kinds = await stage.mapper.byKind("autoscaling.plimsoll.dev", "WorkloadAutoscaler");
      return kinds.length > 0 || undefined;
    });
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${await stage.kubeconfigForAutoscaler("driver")}`,
      ownLease,
      "--port=0",
    ]);
  });

  afterAll(async () => {
    await autoscaler?.stop();
    await stage?.stop();
  });

  test("one object is enough: the Deployment follows its query, which shows in the status", async () => {
    await put([query(depth("orders"))]);
    await becomes(3);
    // It is written after the scale.
    await expect.poll(status, often).toMatchObject({
      currentReplicas: 3,
      desiredReplicas: 3,
      queries: [
        {
          name: "query[0]",
          query: 'sum(queue_depth{queue="orders",namespace="default"})',
          conditions: [
            { type: "Accepted", status: "True" },
            { type: "Resolved", status: "True" },
          ],
        },
      ],
      currentMetrics: [{ type: "External", external: { metric: { name: "query[0]" } } }],
    });
    stage.load.set("default/orders", depthFor(5));
    await becomes(5);
    // And its event.
    await expect
      .poll(() => stage.kubectl("describe", "wla", "shop"), { interval: 500 })
      .toMatch(/SuccessfulRescale\s.*reason: external metric query\[0\]\(nil\) above target/);
  });

  test("another query is in force within two seconds, and the former one is gone", async () => {
    const [before] = (await read()).status?.queries ?? [];
    const changedMs = Date.now();
    await put([query(depth("mails"))]);
    const [after] = await until("the other query to be served", async () => {
      const queries = (await read()).status?.queries ?? [];
      const isServed = queries[0]?.query?.includes("mails") === true;
      return isServed ? queries : undefined;
    });
    const sawMs = Date.now() - changedMs;
    console.log(`in force, as the status shows it, after ${sawMs} ms`);
    await becomes(1);
    expect(after?.metric).not.toBe(before?.metric);
    await expect(stage.client.request({ path: `${metrics}/${before?.metric}` })).rejects.toMatchObject({
      code: 404,
    });
  });

  test("an entry that is removed leaves the others their own values", async () => {
    stage.load.set("default/orders", depthFor(4));
    await put([query(depth("mails")), query(depth("orders")), query(`${depth("mails")} * 2`)]);
    await becomes(4);
    await put([query(depth("mails")), query(`${depth("mails")} * 2`)]);
    await becomes(2);
    await expect.poll(status, often).toMatchObject({
      queries: [
        { name: "query[0]", query: 'sum(queue_depth{queue="mails",namespace="default"})' },
        { name: "query[1]", query: 'sum(queue_depth{queue="mails",namespace="default"}) * 2' },
      ],
    });
  });

  test("a query of pods is one of each pod", async () => {
    stage.load.set("default/shop", depthFor(3), "packets");
    await put([query("sum by (pod) (packets_per_second)", { podLabel: "pod" })]);
    await becomes(3);
    await expect.poll(status, often).toMatchObject({
      currentMetrics: [{ type: "Pods", pods: { metric: { name: "query[0]" } } }],
    });
  });

  test.each([
    ["another namespace's selector", 'queue_depth{namespace="kube-system"}', "NamespaceMatcher"],
    ["no PromQL", "queue_depth{", "Unparsable"],
    ["a range of a month", "max_over_time(queue_depth[30d])", "TooCostly"],
  ])("%s is refused, nothing scales, and the conditions say why", async (_title, promql, reason) => {
    const before = stage.scaleWrites().length;
    await put([query(promql)]);
    const { status } = await until(reason, async () => {
      const object = await read();
      const [first] = object.status?.queries ?? [];
      return first?.conditions.some((one) => one.reason === reason) === true ? object : undefined;
    });
    expect(JSON.stringify(status?.conditions)).toContain("query.promql: ");
    expect(stage.scaleWrites()).toHaveLength(before);
  });

  test("it is gone with its object", async () => {
    await put([query(depth("orders"))]);
    const metric = await until("the query to be served", async () => {
      const [first] = (await read()).status?.queries ?? [];
      return first?.query?.includes("orders") === true ? first.metric : undefined;
    });
    await stage.client.request({ method: "DELETE", path: `${api}/shop` });
    await until("the query to be gone", async () =>
      stage.client.request({ path: `${metrics}/${metric}` }).then(
        () => undefined,
        (error: { code?: number }) => error.code === 404 || undefined,
      ),
    );
    expect(stage.troubles).toEqual([]);
  });

  const often = { interval: 100 };
  const status = async () => (await read()).status;
  const read = (): Promise<Stored> => stage.client.request<Stored>({ path: `${api}/shop` });

  async function put(list: readonly object[]): Promise<void> {
    await stage.client.request({
      method: "PATCH",
      path: `${api}/shop`,
      query: { fieldManager: "plimsoll-e2e", force: true },
      contentType: "application/apply-patch+yaml",
      body: {
        apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
        kind: "WorkloadAutoscaler",
        metadata: { name: "shop" },
        spec: spec(list),
      },
    });
  }

  async function becomes(count: number): Promise<void> {
    const path = "/apis/apps/v1/namespaces/default/deployments/shop";
    await until(`${count} ready pods`, async () => {
      const { spec: wanted, status } = await stage.client.request<{
        readonly spec: { readonly replicas: number };
        readonly status: { readonly readyReplicas?: number; readonly replicas?: number };
      }>({ path });
      const isSo = [wanted.replicas, status.readyReplicas, status.replicas].every((one) => one === count);
      return isSo || undefined;
    });
  }
});
