// For each rule: what its advice says, applied to the world in which it finds something; or why nothing can be applied.
import type { HpaMemory, MetricSamples } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { type FactReadings, known } from "../src/index.ts";
import { cases } from "./cases/cases.ts";
import {
  ago,
  apiService,
  autoscaler,
  cpu,
  cpuSamples,
  decisionOf,
  deployment,
  hpa,
  mainContainer,
  nowMs,
  pastDecisions,
  podsMetric,
  podsOf,
  queue,
  type World,
} from "./world.ts";

export interface Fix {
  /** A part of the finding's advice, which is applied. */
  readonly advice: string;
  /** @param command of the finding; "" where it has none. */
  readonly apply: (world: World, command: string) => World;
}

const withFacts =
  (changed: Partial<FactReadings>) =>
  ({ facts, ...world }: World): World => ({ ...world, facts: { ...facts, ...changed } });

const withSpec =
  (changed: Fields) =>
  ({ object = hpa(), ...world }: World): World => ({
    ...world,
    object: { ...object, spec: { ...fieldsOf(object["spec"]), ...changed } },
  });

/** The world that is near to it: the case shows what the advice leads to. */
const near = (id: string) => (): World => cases[id]?.negative ?? {};

interface Input {
  readonly pods: readonly Fields[];
  readonly samples: readonly MetricSamples[];
  readonly replicas?: number;
}

/** With another specification the controller decides again, and writes its conditions. */
const decidedAgain =
  (changed: Fields, input: Input, memory?: HpaMemory) =>
  (world: World): World => {
    const { object = hpa(), facts } = withSpec(changed)(world);
    const decision = decisionOf(object, input, memory);
    return {
      object: { ...object, status: { ...fieldsOf(object["status"]), ...(decision.status as object) } },
      facts: { ...facts, decision: known(decision) },
    };
  };

/** What `kubectl patch --type=merge -p '…'` makes of an object. */
function patched(object: Fields, command: string): Fields {
  const [, text = "{}"] = / -p '(.*)'$/.exec(command) ?? [];
  return merged(object, JSON.parse(text) as Fields);
}

function merged(object: Fields, patch: Fields): Fields {
  const entries = Object.entries(patch).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (value === null) return [];
    const isObject = typeof value === "object" && !Array.isArray(value);
    return [[key, isObject ? merged(fieldsOf(object[key]), fieldsOf(value)) : value]];
  });
  const kept = Object.entries(object).filter(([key]) => patch[key] !== null);
  return Object.fromEntries([...kept, ...entries]);
}

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
const quota = (amount: string): Fields => ({
  metadata: { name: "team" },
  spec: { hard: { "requests.cpu": amount } },
});
const served = (name: string) => ({
  ...podsMetric,
  pods: { ...podsMetric.pods, metric: { name } },
});
const busyPods = Array.from({ length: 10 }, () => 480);
const unreadyPods = podsOf(3, {
  status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(20) }] },
});
const heldMemory: HpaMemory = {
  recommendations: [{ replicas: 3, atMs: nowMs - 120_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

/** Each way that the advice names. */
export const fixes: Readonly<Record<string, readonly [Fix, ...Fix[]]>> = {
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
  "PL-029": [{ advice: "use an AverageValue target", apply: withSpec({ metrics: [queue("AverageValue")] }) }],
  "PL-030": [
    {
      advice: "raise maxReplicas",
      apply: (world, command) =>
        decidedAgain(fieldsOf(patched(world.object ?? {}, command)["spec"]), {
          pods: podsOf(10),
          samples: [cpuSamples(busyPods)],
          replicas: 10,
        })(world),
    },
  ],
  "PL-031": [{ advice: "use a schedule with fixed replicas", apply: near("PL-031") }],
  "PL-032": [
    {
      advice: "lower minReplicas if fewer are enough",
      apply: decidedAgain(
        { minReplicas: 1 },
        { pods: podsOf(2), samples: [cpuSamples([100, 100])], replicas: 2 },
      ),
    },
  ],
  "PL-035": [
    { advice: "lower maxReplicas", apply: withSpec({ maxReplicas: 8 }) },
    { advice: "or raise the quota", apply: withFacts({ quotas: known([quota("5")]) }) },
  ],
  "PL-036": [
    {
      advice: "use maxUnavailable: 1 instead of minAvailable",
      apply: ({ facts = {}, ...world }, command) => {
        const { pdbs } = facts;
        const changed = pdbs?.ok === true ? pdbs.value.map((one) => patched(one, command)) : [];
        return withFacts({ pdbs: known(changed) })({ ...world, facts });
      },
    },
    { advice: "or raise minReplicas", apply: withSpec({ minReplicas: 3 }) },
  ],
  "PL-038": [{ advice: "remove selectPolicy", apply: withSpec({ behavior: { scaleDown: {} } }) }],
  "PL-039": [
    {
      advice: "set a smaller tolerance for that direction",
      apply: (world) => {
        const history = pastDecisions(70, () => ({ metrics: [{ ratio: 1.08, withinTolerance: false }] }));
        return withFacts({ history: known(history) })(
          withSpec({ behavior: { scaleUp: { tolerance: "0.05" } } })(world),
        );
      },
    },
  ],
  "PL-040": [
    {
      advice: "shorten behavior.scaleDown.stabilizationWindowSeconds",
      apply: decidedAgain(
        { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
        { pods: podsOf(3), samples: [cpuSamples([100, 100, 100])] },
        heldMemory,
      ),
    },
  ],
  "PL-041": [{ advice: "lower maxSurge", apply: withFacts({ pods: known(podsOf(3)) }) }],
  "PL-042": [{ advice: "correct the entry", apply: near("PL-042") }],
  "PL-043": [
    {
      advice: "shorten behavior.scaleDown.stabilizationWindowSeconds",
      apply: withSpec({ behavior: { scaleDown: { stabilizationWindowSeconds: 300 } } }),
    },
  ],
  "PL-044": [
    {
      advice: "resume it",
      apply: (world, command) => ({ ...world, object: patched(world.object ?? {}, command) }),
    },
    {
      advice: "set an end with spec.pause.until",
      apply: withSpec({ pause: { reason: "incident", until: "2026-12-01T00:00:00Z" } }),
    },
  ],
  "PL-049": [
    {
      advice: "use another name in spec.metric",
      apply: ({ facts = {}, ...world }) => {
        const { metricRules } = facts;
        const changed =
          metricRules?.ok === true
            ? metricRules.value.map((one) => merged(one, { spec: { metric: "other" } }))
            : [];
        return withFacts({ metricRules: known(changed) })({ ...world, facts });
      },
    },
  ],
  "PL-050": [
    {
      advice: "serve the API with metrics-adapter and --metric-rules=true",
      apply: withFacts({ apiServices: known([apiService("external.metrics.k8s.io")]) }),
    },
  ],
  "PL-052": [{ advice: "add <<.LabelMatchers>> to metricsQuery of externalRules[2]", apply: near("PL-052") }],
  "PL-054": [
    { advice: "use type: Value if that's what you want", apply: near("PL-054") },
    {
      advice: "otherwise averageValue instead of value",
      apply: withSpec({ metrics: [queue("AverageValue", "5")] }),
    },
  ],
  "PL-055": [
    {
      advice: "a target of type AverageValue does not depend on ready pods",
      apply: decidedAgain(
        { metrics: [queue("AverageValue")] },
        { pods: unreadyPods, samples: [{ values: [{ value: "90" }] }] },
      ),
    },
  ],
};

/** Advice that no test can apply: why. */
export const notMechanical: Readonly<Record<string, string>> = {
  "PL-005": "the other client has to be told, in its own settings",
  "PL-018": "what serves the API has to be started",
  "PL-022":
    "labels come from the scrape; rules-traps.test.ts of the CLI applies overrides with a real Prometheus",
  "PL-023": "the advice is the command that shows which series there are",
  "PL-024": "only the pods and the scrape show why samples are missing",
  "PL-025": "only the scrape configuration changes how old samples are",
  "PL-033": "needs capacity, or another image",
  "PL-034": "the target's condition goes when its controller creates pods again",
  "PL-037": "the changes of the last 30 minutes stay in the events",
  "PL-045": "the advice names the rules that say what to do",
  "PL-046": "the autoscaler's own pods have to run",
  "PL-047": "the message of the MetricRule says what to change",
  "PL-048": "the other adapter has to be looked at",
  "PL-056":
    "the advice is a command that prints rules; metrics-setup.test.ts of the CLI applies what it prints",
  "PL-051": "Prometheus' message says what to change; rules-traps.test.ts of the CLI applies it",
  "PL-053":
    "the message says what to change; rules-traps.test.ts of the CLI and traps of the rules apply each",
};
