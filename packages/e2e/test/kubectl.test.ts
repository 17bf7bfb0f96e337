import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createScenario, quietLoads } from "../src/demo/scenario.ts";
import { findKubectl, type Kubectl } from "../src/stack/kubectl.ts";
import { type PlimsollProcess, startPlimsoll } from "../src/stack/plimsoll-process.ts";
import type { Stack } from "../src/stack/stack.ts";
import { until } from "../src/stack/until.ts";
import { example, temporaryStack } from "./fixture.ts";

// kubectl is the user's own program, and nothing here can bring it along.
const isMissing = findKubectl("") === undefined;

describe.skipIf(isMissing)("a user's kubectl against the running stack", () => {
  let stack: Stack;
  let stop: () => Promise<void>;
  let autoscaler: PlimsollProcess;
  let kubectl: Kubectl;

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
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
      "--manage-hpas=all",
      "--horizontal-pod-autoscaler-sync-period=1s",
      "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
      "--port=0",
    ]);
    await until("all autoscalers to read all their metrics", async () => {
      const text = await kubectl("get", "hpa", "--no-headers");
      return text.trim().split("\n").length === 4 && !text.includes("<unknown>") ? true : undefined;
    });
  }, 90_000);

  afterAll(async () => {
    await autoscaler?.stop();
    await stop?.();
  }, 30_000);

  test("get hpa -A lists targets as upstream prints them", async () => {
    const text = await kubectl("get", "hpa", "-A");
    expect(text).toMatch(/^NAMESPACE\s+NAME\s+REFERENCE\s+TARGETS\s+MINPODS\s+MAXPODS\s+REPLICAS\s+AGE/);
    expect(text).toMatch(/default\s+worker\s+Deployment\/worker\s+24\/30 \(avg\)\s+1\s+10\s+1/);
    expect(text).toMatch(/default\s+router\s+Deployment\/router\s+\S+\/1k\s+1\s+10\s+1/);
    expect(text).toMatch(/default\s+api\s+Deployment\/api\s+cpu: \d+%\/60%, \S+\/500/);
  });

  test("describe hpa tells the metric, the conditions and the events", async () => {
    const text = await kubectl("describe", "hpa", "router");
    expect(text).toMatch(/"packets-per-second" on pods:\s+\S+ \/ 1k/);
    expect(text).toMatch(/ScalingActive\s+True\s+ValidMetricFound/);
    expect(text).toMatch(/AbleToScale\s+True\s+ReadyForNewScale/);
    expect(text).toMatch(/ScalingLimited\s+False\s+DesiredWithinRange/);
  });

  test("get --raw reads a metric through the aggregation layer", async () => {
    const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second";
    const list = JSON.parse(await kubectl("get", "--raw", path));
    expect(list.kind).toBe("MetricValueList");
    expect(
      list.items.map((item: { describedObject: { kind: string } }) => item.describedObject.kind),
    ).toEqual(["Pod", "Pod"]);
  });

  test("top reads metrics.k8s.io", async () => {
    expect(await kubectl("top", "pods")).toMatch(
      /^NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)[^]*api-\S+\s+\d+m\s+\d+Mi/,
    );
    expect(await kubectl("top", "nodes")).toMatch(/^NAME\s+CPU\(cores\)\s+CPU/);
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

  test("autoscale makes an object that is driven at once", async () => {
    await kubectl("create", "deployment", "extra", "--image=registry.example/extra:1", "--replicas=1");
    await kubectl("autoscale", "deployment", "extra", "--min=2", "--max=4", "--cpu-percent=80");
    await until("the minimum to be met", async () => {
      const replicas = await kubectl("get", "deployment", "extra", "-o", "jsonpath={.status.readyReplicas}");
      return replicas === "2" ? true : undefined;
    });
    expect(await kubectl("describe", "hpa", "extra")).toMatch(
      /Normal\s+SuccessfulRescale\s+.*New size: 2; reason: Current number of replicas below Spec.MinReplicas/,
    );
    await kubectl("delete", "hpa,deployment", "extra");
  });

  test("scale and get pods -w show a workload grow", async () => {
    await kubectl("create", "deployment", "by-hand", "--image=registry.example/by-hand:1");
    await kubectl("rollout", "status", "deployment/by-hand", "--timeout=20s");
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
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "nobody" },
          maxReplicas: 3,
        },
      },
    });
    const text = await until("the condition", async () => {
      const described = await kubectl("describe", "hpa", "lost");
      return described.includes("FailedGetScale") ? described : undefined;
    });
    expect(text).toMatch(/AbleToScale\s+False\s+FailedGetScale/);
    expect(text).toContain('deployments.apps "nobody" not found');
    await kubectl("delete", "hpa", "lost");
  });
});
