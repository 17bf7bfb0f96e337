// Fixes for targets and their metrics.
import { type Fields } from "@plimsoll/core/internal/values";
import { known } from "../../src/index.ts";
import {
  apiService,
  autoscaler,
  cpu,
  cpuSamples,
  deployment,
  hpa,
  mainContainer,
  podsMetric,
  podsOf,
} from "../world.ts";
import { decidedAgain, type Fix, near, withFacts, withSpec } from "./apply.ts";

const containerMetric = {
  type: "ContainerResource",
  containerResource: {
    name: "cpu",
    container: "main",
    target: { type: "Utilization", averageUtilization: 60 },
  },
};
const targetOf = (object: Fields) => known({ found: true as const, object });
const vpaOfMemory = {
  metadata: { name: "shop" },
  spec: {
    targetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    updatePolicy: { updateMode: "Recreate" },
    resourcePolicy: { containerPolicies: [{ containerName: "*", controlledResources: ["memory"] }] },
  },
};
const averageCpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "AverageValue", averageValue: "300m" } },
};
const podsOfShop2 = known(podsOf(3, { owner: { kind: "ReplicaSet", name: "shop2-5d89", controller: true } }));
const scaleOf = (specReplicas: number, selector = "app=shop") =>
  known({ found: true as const, specReplicas, statusReplicas: specReplicas, selector });
const rollout = (scaleDown: string): Fields => ({
  kind: "Rollout",
  metadata: { name: "shop", namespace: "default" },
  spec: { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop", scaleDown } },
  status: { phase: "Healthy" },
});
const served = (name: string) => ({
  ...podsMetric,
  pods: { ...podsMetric.pods, metric: { name } },
});

export const metricFixes: Readonly<Record<string, readonly [Fix, ...Fix[]]>> = {
  "PL-001": [
    {
      advice: "merge their metrics into one object and delete the other",
      apply: withFacts({ hpas: known([autoscaler(hpa({ spec: { metrics: [cpu, averageCpu] } }))]) }),
    },
  ],
  "PL-002": [{ advice: "use unique labels for each workload in its selector", apply: near("PL-002") }],
  "PL-003": [{ advice: "keep one of them", apply: withFacts({ scaledObjects: known([]) }) }],
  "PL-004": [
    {
      advice: "CronHorizontalPodAutoscaler's target to the HorizontalPodAutoscaler shop",
      apply: near("PL-004"),
    },
    { advice: "use schedules of a WorkloadAutoscaler", apply: withFacts({ cronHpas: known([]) }) },
  ],
  "PL-006": [
    {
      advice: "remove spec.replicas with kubectl apply edit-last-applied, then from the manifest",
      apply: near("PL-006"),
    },
  ],
  "PL-007": [
    {
      advice: "remove spec.replicas from the manifest",
      // The events of the resets count for 30 minutes.
      apply: withFacts({ target: targetOf(deployment()), events: known([]) }),
    },
  ],
  "PL-008": [
    {
      advice: "scaleDown of the Rollout to onsuccess",
      apply: withFacts({
        rollouts: known([rollout("onsuccess")]),
        target: targetOf(rollout("onsuccess")),
        deployments: known([deployment({ spec: { replicas: 0 } })]),
      }),
    },
    {
      advice: "or the Deployment's replicas to 0",
      apply: withFacts({ deployments: known([deployment({ spec: { replicas: 0 } })]) }),
    },
  ],
  "PL-009": [
    { advice: "use an averageValue target", apply: withSpec({ metrics: [averageCpu] }) },
    {
      advice: "let the VerticalPodAutoscaler control other resources",
      apply: withFacts({ vpas: known([vpaOfMemory]) }),
    },
  ],
  "PL-010": [
    {
      advice: "correct scaleTargetRef",
      apply: (world) =>
        withFacts({ target: targetOf(deployment({ name: "shop2" })), scale: scaleOf(3), pods: podsOfShop2 })(
          withSpec({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop2" } })(world),
        ),
    },
  ],
  "PL-011": [
    {
      advice: "to a status string with the pods' label selector",
      apply: withFacts({ scale: scaleOf(3), selectorPath: known(".status.selector") }),
    },
  ],
  "PL-012": [
    {
      advice: "select by a label that only the workload's pods have",
      apply: withFacts({ pods: known(podsOf(3)) }),
    },
  ],
  "PL-013": [
    {
      advice: "scale it to 1 or more",
      apply: (world, command) => {
        const [, replicas = "0"] = / --replicas=(\d+)$/.exec(command) ?? [];
        return withFacts({ scale: scaleOf(Number(replicas)) })(world);
      },
    },
  ],
  "PL-014": [
    {
      advice: "set the request of the container",
      apply: withFacts({
        pods: known(
          podsOf(3, {
            containers: [mainContainer, { name: "istio-proxy", resources: { requests: { cpu: "10m" } } }],
          }),
        ),
      }),
    },
    {
      advice: "use a ContainerResource metric of the main container",
      apply: withSpec({ metrics: [containerMetric] }),
    },
  ],
  "PL-015": [
    {
      advice: "use a container that the pods have, such as main",
      apply: withSpec({ metrics: [containerMetric] }),
    },
  ],
  "PL-016": [
    { advice: "use a ContainerResource metric of main", apply: withSpec({ metrics: [containerMetric] }) },
  ],
  "PL-017": [
    {
      advice: "raise the target",
      apply: decidedAgain(
        {
          metrics: [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
            },
          ],
        },
        { pods: podsOf(4), samples: [cpuSamples([250, 250, 250, 250])], replicas: 4 },
      ),
    },
  ],
  "PL-019": [
    {
      advice: "a Pods or Object metric",
      apply: (world) =>
        withFacts({
          samples: known([{ samples: cpuSamples([300, 310, 290]) }]),
          apiServices: known([apiService("custom.metrics.k8s.io"), apiService("external.metrics.k8s.io")]),
        })(withSpec({ metrics: [podsMetric] })(world)),
    },
    {
      advice: "or one adapter that serves both",
      apply: withFacts({
        apiServices: known([apiService("external.metrics.k8s.io")]),
        samples: known([{ samples: { values: [{ value: "3" }] } }]),
      }),
    },
  ],
  "PL-020": [
    {
      advice: "remove insecureSkipTLSVerify",
      apply: withFacts({
        apiServices: known([apiService("metrics.k8s.io", { spec: { caBundle: "Zm9v" } })]),
      }),
    },
  ],
  "PL-021": [
    {
      advice: "use a metric that is served, such as http_request",
      apply: (world) =>
        withFacts({ samples: known([{ samples: cpuSamples([300, 310, 290]) }]) })(
          withSpec({ metrics: [served("http_request")] })(world),
        ),
    },
  ],
  "PL-026": [
    {
      advice: "use a range of 2m",
      apply: ({ facts = {}, ...world }) => {
        const { adapterRules } = facts;
        const changed =
          adapterRules?.ok === true ? adapterRules.value.map((one) => ({ ...one, rangesMs: [120_000] })) : [];
        return withFacts({ adapterRules: known(changed) })({ ...world, facts });
      },
    },
  ],
  "PL-027": [{ advice: "make the query return a number", apply: near("PL-027") }],
  "PL-028": [
    {
      advice: "fix the metric, or remove it",
      apply: decidedAgain({ metrics: [cpu] }, { pods: podsOf(3), samples: [cpuSamples([100, 100, 100])] }),
    },
  ],
};
