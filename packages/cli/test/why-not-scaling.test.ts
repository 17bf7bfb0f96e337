// docs/why-not-scaling.md quotes conditions as kubectl prints them: those that core decides.
import { readFileSync } from "node:fs";
import { type DecideInput, decide } from "@plimsoll/core";
import { expect, test } from "vitest";
import { at, cpu, cpuSamples, external, inputOf, type Workload } from "./golden/inputs.ts";

const page = readFileSync(new URL("../../../docs/why-not-scaling.md", import.meta.url), "utf8");

const ofPods = {
  type: "Pods",
  pods: { metric: { name: "packets" }, target: { type: "AverageValue", averageValue: "1k" } },
};
const onePod = { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }], stabilizationWindowSeconds: 0 };
const noTarget = 'deployments/scale.apps "web" not found';
const noApi = "the server could not find the requested resource (get pods.metrics.k8s.io)";
const noSamples = [{ pods: [] }];
const usage = (milli: number) => ({ samples: [cpuSamples("web", 4, milli)] });

function decided(workload: Partial<Workload>, input: Partial<DecideInput>) {
  const base = { namespace: "shop", name: "web", replicas: 4, bounds: [2, 10], metrics: [cpu(60)] } as const;
  const memory = {
    recommendations: [{ replicas: 4, atMs: at("09:59:31") }],
    scaleUpEvents: [],
    scaleDownEvents: [],
  };
  const made = inputOf({ ...base, ...usage(300), ...workload });
  return decide({ ...made, ...input }, memory).decision.status.conditions;
}

function pods(status: object, containers: object[]) {
  const spec = { containers };
  return {
    ok: true,
    pods: ["web-1", "web-0"].map((name) => ({
      metadata: { name, namespace: "shop", labels: { app: "web" } },
      spec,
      status: { phase: "Running", ...status },
    })),
  } as DecideInput["pods"];
}

const twoPods = { replicas: 2, samples: [cpuSamples("web", 2, 300)] };
const hoursAgo = "2026-11-22T08:00:00Z";
const ready = {
  startTime: hoursAgo,
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: hoursAgo }],
};
const justStarted = { startTime: "2026-11-22T10:00:00Z", conditions: [] };

test.each<[reason: string, words: string, workload: Partial<Workload>, input?: Partial<DecideInput>]>([
  [
    "TooManyReplicas",
    "the desired replica count is more than the maximum replica count",
    { replicas: 8, samples: [cpuSamples("web", 8, 500)] },
  ],
  ["ScaleDownStabilized", "recent recommendations were higher than current one, applying", usage(100)],
  ["ScaleUpLimit", "faster than the maximum scale rate", { ...usage(600), behavior: { scaleUp: onePod } }],
  [
    "ScaleDownLimit",
    "faster than the maximum scale rate",
    { ...usage(100), behavior: { scaleDown: onePod } },
  ],
  ["ReadyForNewScale", "recommended size matches current size", {}],
  ["FailedGetScale", `target's current scale: ${noTarget}`, {}, { scale: { ok: false, message: noTarget } }],
  ["ScalingDisabled", "scaling is disabled since the replica count of the target is zero", { replicas: 0 }],
  ["FailedGetResourceMetric", noApi, { samples: [{ error: noApi }] }],
  ["FailedGetResourceMetric", "no metrics returned from resource metrics API", { samples: noSamples }],
  [
    "FailedGetResourceMetric",
    "did not receive metrics for targeted pods (pods might be unready)",
    twoPods,
    { pods: pods(justStarted, [{ name: "app", resources: { requests: { cpu: "500m" } } }]) },
  ],
  [
    "FailedGetResourceMetric",
    "missing request for cpu in container app of Pod web-1",
    twoPods,
    { pods: pods(ready, [{ name: "app" }]) },
  ],
  [
    "FailedGetPodsMetric",
    "no metrics returned from custom metrics API",
    { metrics: [ofPods], samples: noSamples },
  ],
  [
    "FailedGetExternalMetric",
    "the server could not find the requested resource",
    { metrics: [external("queue", "30")], samples: [{ error: noApi }] },
  ],
])("the page quotes %s: %s", (reason, words, workload, input = {}) => {
  const condition = decided(workload, input).find((one) => one.reason === reason);
  expect(condition?.message).toContain(words);
  expect(page).toContain(reason);
  expect(page).toContain(words);
});
