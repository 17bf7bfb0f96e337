import { createScenario, quietLoads } from "@plimsoll/demo";
import {
  findKubectl,
  type Kubectl,
  type PlimsollProcess,
  type Stack,
  startPlimsoll,
  until,
} from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { example, local, temporaryStack } from "../fixture.ts";

// kubectl is the user's own program, and nothing here can bring it along.
const isMissing = findKubectl("") === undefined;

describe.skipIf(isMissing)("a user's kubectl against the running stack", () => {
  let stack: Stack;
  let stop: () => Promise<void>;
  let autoscaler: PlimsollProcess;
  let kubectl: Kubectl;

  // The store is asked in a loop, and not kubectl: each kubectl is a process.
  const conditionsOf = (resource: string, name: string) => {
    const status = stack.store.get(resource, "default", name)?.status as
      | { readonly conditions?: readonly { readonly reason?: string }[] }
      | undefined;
    return status?.conditions ?? [];
  };

  /**
   * Prometheus gives up a scrape after a quarter of a second, and an autoscaler reads no value at that moment: it is waited for.
   * Each kubectl is a process, which takes time from those that are waited for.
   */
  const often = { interval: 1000 };
  const prints =
    (...args: readonly string[]) =>
    () =>
      kubectl(...args);

  beforeAll(async () => {
    ({ stack, stop } = await temporaryStack({
      rules: example("rules.yaml"),
      loads: quietLoads(createScenario("fast")),
      adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s"],
    }));
    const found = findKubectl(stack.kubeconfig);
    if (found === undefined) throw new Error("kubectl went away");
    kubectl = found;
    await stack.apply(example("autoscalers.yaml"));
    await stack.apply(local("../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"));
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
      "--manage-hpas=all",
      "--horizontal-pod-autoscaler-sync-period=1s",
      "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
      "--port=0",
    ]);
    await until(
      "all autoscalers to read all their metrics",
      async () => {
        const text = await kubectl("get", "hpa", "--no-headers");
        return text.trim().split("\n").length === 4 && !text.includes("<unknown>") ? true : undefined;
      },
      // Each kubectl is a process, which takes time from those that are waited for.
      { everyMs: 1000 },
    );
  });

  afterAll(async () => {
    await autoscaler?.stop();
    await stop?.();
  });

  test("get hpa -A lists targets as upstream prints them", async () => {
    const list = prints("get", "hpa", "-A");
    await expect
      .poll(list, often)
      .toMatch(/^NAMESPACE\s+NAME\s+REFERENCE\s+TARGETS\s+MINPODS\s+MAXPODS\s+REPLICAS\s+AGE/);
    await expect
      .poll(list, often)
      .toMatch(/default\s+worker\s+Deployment\/worker\s+24\/30 \(avg\)\s+1\s+10\s+1/);
    await expect.poll(list, often).toMatch(/default\s+router\s+Deployment\/router\s+\d\S*\/1k\s+1\s+10\s+1/);
    await expect.poll(list, often).toMatch(/default\s+api\s+Deployment\/api\s+cpu: \d+%\/60%, \d\S*\/500/);
  });

  test("get wla shows what get hpa shows, and what is wanted", async () => {
    await stack.client.request({
      method: "POST",
      path: "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers",
      body: {
        apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
        kind: "WorkloadAutoscaler",
        metadata: { name: "orders" },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "worker" },
          maxReplicas: 10,
          mode: "Shadow",
          metrics: [
            {
              type: "External",
              external: {
                metric: { name: "queue_depth" },
                target: { type: "AverageValue", averageValue: "5" },
              },
            },
          ],
        },
      },
    });
    await until(
      "its first decision",
      () =>
        conditionsOf("workloadautoscalers.autoscaling.plimsoll.dev", "orders").some(
          ({ reason }) => reason === "Evaluated",
        ) || undefined,
    );
    const list = prints("get", "wla");
    await expect
      .poll(list, often)
      .toMatch(
        /^NAME\s+WORKLOAD\s+TARGETS\s+MIN\s+MAX\s+REPLICAS\s+DESIRED\s+MODE\s+READY\s+REASON\s+ACTIVE\s+AGE/,
      );
    await expect
      .poll(list, often)
      .toMatch(/orders\s+worker\s+24\/5 \(avg\)\s+1\s+10\s+1\s+4\s+Shadow\s+True\s+Evaluated\s+False/);
    expect(await kubectl("get", "wla", "-o", "wide")).toMatch(/Deployment\s+ShadowMode\s+False/);
    await kubectl("delete", "wla", "orders");
  });

  test("describe hpa shows the metric, the conditions and the events", async () => {
    const text = prints("describe", "hpa", "router");
    await expect.poll(text, often).toMatch(/"packets-per-second" on pods:\s+\d\S* \/ 1k/);
    await expect.poll(text, often).toMatch(/ScalingActive\s+True\s+ValidMetricFound/);
    await expect.poll(text, often).toMatch(/AbleToScale\s+True\s+ReadyForNewScale/);
    await expect.poll(text, often).toMatch(/ScalingLimited\s+False\s+DesiredWithinRange/);
  });

  test("get --raw reads a metric through the aggregation layer", async () => {
    const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second";
    await expect
      .poll(async () => JSON.parse(await kubectl("get", "--raw", path)), often)
      .toMatchObject({
        kind: "MetricValueList",
        items: [{ describedObject: { kind: "Pod" } }, { describedObject: { kind: "Pod" } }],
      });
  });

  test("top reads metrics.k8s.io", async () => {
    await expect
      .poll(prints("top", "pods"), often)
      .toMatch(/^NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)[^]*api-\S+\s+\d+m\s+\d+Mi/);
    await expect.poll(prints("top", "nodes"), often).toMatch(/^NAME\s+CPU\(cores\)\s+CPU/);
  });

  test("get podmetrics is a table, sorted by any field", async () => {
    const names = async (...by: string[]): Promise<readonly string[]> => {
      const lines = (await kubectl("get", "podmetrics", ...by)).trim().split("\n");
      expect(lines[0]).toMatch(/^NAME\s+CPU\s+MEMORY\s+WINDOW/);
      return lines.slice(1).map((line) => line.split(/\s+/)[0] ?? "");
    };
    const pods = stack.store.list("pods", "default").map(({ metadata }) => metadata.name);
    expect(pods.length).toBeGreaterThan(2);
    await expect.poll(() => names("--sort-by=.metadata.name"), often).toEqual(pods.toSorted());
    for (const by of [[], ["--sort-by=.containers[0].usage.memory"]])
      await expect.poll(() => names(...by), often).toEqual(expect.arrayContaining(pods));
  });

  test("api-resources knows the metrics APIs, and their APIServices are available", async () => {
    expect(await kubectl("api-resources", "--api-group=metrics.k8s.io")).toMatch(
      /pods\s+metrics\.k8s\.io\/v1beta1\s+true\s+PodMetrics/,
    );
    const services = await kubectl("get", "apiservices");
    for (const name of [
      "v1beta1.custom.metrics.k8s.io",
      "v1beta1.external.metrics.k8s.io",
      "v1beta1.metrics.k8s.io",
    ]) {
      expect(services).toMatch(
        new RegExp(`${name.replaceAll(".", "\\.")}\\s+plimsoll/metrics-adapter\\s+True`),
      );
    }
  });

  test("autoscale makes an object that is managed at once", async () => {
    await kubectl("create", "deployment", "extra", "--image=registry.example/extra:1", "--replicas=1");
    await kubectl("autoscale", "deployment", "extra", "--min=2", "--max=4", "--cpu-percent=80");
    await until("the minimum to be met", () => {
      const status = stack.store.get("deployments.apps", "default", "extra")?.status as
        | { readonly readyReplicas?: number }
        | undefined;
      return status?.readyReplicas === 2 || undefined;
    });
    // Its event is written after the count.
    await until(
      "the event",
      () =>
        stack.store
          .list("events", "default")
          .some(
            (event) =>
              (event["involvedObject"] as { name?: string }).name === "extra" &&
              event["reason"] === "SuccessfulRescale",
          ) || undefined,
    );
    expect(await kubectl("describe", "hpa", "extra")).toMatch(
      /Normal\s+SuccessfulRescale\s+.*New size: 2; reason: Current number of replicas below Spec.MinReplicas/,
    );
    await kubectl("delete", "hpa,deployment", "extra");
  });

  test("scale and get pods -w show a workload grow", async () => {
    await kubectl("create", "deployment", "by-hand", "--image=registry.example/by-hand:1");
    await kubectl("rollout", "status", "deployment/by-hand", "--timeout=100s");
    const running = new Set<string>();
    const watch = kubectl.follow("get", "pods", "-l", "app=by-hand", "-w", "--no-headers");
    await kubectl("scale", "deployment", "by-hand", "--replicas=3");
    for await (const line of watch) {
      const [name = "", ready] = line.split(/\s+/);
      if (ready === "1/1") running.add(name);
      if (running.size === 3) break;
    }
    expect(running.size).toBe(3);
    await kubectl("delete", "deployment", "by-hand");
  });

  test("an autoscaler whose target is not there says so", async () => {
    await stack.client.request({
      method: "POST",
      path: "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
      body: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "lost", namespace: "default" },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "absent" },
          maxReplicas: 3,
        },
      },
    });
    await until(
      "the condition",
      () =>
        conditionsOf("horizontalpodautoscalers.autoscaling", "lost").some(
          ({ reason }) => reason === "FailedGetScale",
        ) || undefined,
    );
    const text = await kubectl("describe", "hpa", "lost");
    expect(text).toMatch(/AbleToScale\s+False\s+FailedGetScale/);
    expect(text).toContain('deployments.apps "absent" not found');
    await kubectl("delete", "hpa", "lost");
  });
});
