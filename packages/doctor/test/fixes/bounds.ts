// Fixes for limits, behavior, and what else runs in the cluster.
import type { HpaMemory } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { known } from "../../src/index.ts";
import { ago, apiService, cpuSamples, nowMs, pastDecisions, podsOf, queue } from "../world.ts";
import { decidedAgain, type Fix, merged, near, patched, withFacts, withSpec } from "./apply.ts";

const quota = (amount: string): Fields => ({
  metadata: { name: "team" },
  spec: { hard: { "requests.cpu": amount } },
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

export const boundFixes: Readonly<Record<string, readonly [Fix, ...Fix[]]>> = {
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
  "PL-057": [
    { advice: "declare the port in the pod template", apply: near("PL-057") },
    {
      advice: "or set live.port to http",
      apply: ({ object = {}, ...world }) => ({
        ...world,
        object: JSON.parse(JSON.stringify(object).replace('"port":"metrics"', '"port":"http"')) as Fields,
      }),
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
  "PL-058": [{ advice: "use the operators In and NotIn with values", apply: near("PL-058") }],
};
