// Rules about limits, capacity, movement, and schedules.
import type { Fields } from "@plimsoll/core/internal/values";
import { known } from "../../src/index.ts";
import {
  ago,
  condition,
  cpuSamples,
  decisionOf,
  deployment,
  hpa,
  node,
  nowMs,
  pastDecisions,
  pendingPod,
  podsOf,
  wla,
} from "../world.ts";
import { type Case, facts, no, rescale, targetOf } from "./case.ts";

const limited = (reason: string, minutes: number) =>
  hpa({
    status: { currentReplicas: 10, desiredReplicas: 10 },
    conditions: [condition("ScalingLimited", "True", reason, { lastTransitionTime: ago(minutes) })],
  });
const budget = (spec: Fields): Fields => ({
  metadata: { name: "shop" },
  spec: { selector: { matchLabels: { app: "shop" } }, ...spec },
});
const disabled = (minutes: number) =>
  hpa({
    metadata: {
      managedFields: [
        {
          manager: "helm",
          operation: "Update",
          time: ago(minutes),
          fieldsV1: { "f:spec": { "f:behavior": { "f:scaleDown": { "f:selectPolicy": {} } } } },
        },
      ],
    },
    spec: { behavior: { scaleDown: { selectPolicy: "Disabled" } } },
  });
const rolling = { target: targetOf(deployment({ status: { replicas: 5, updatedReplicas: 2 } })) };
const surging = [...podsOf(3), pendingPod(3), pendingPod(4)];
const scheduled = (...schedules: readonly Fields[]) => wla({ spec: { schedules } });
const nightly = { name: "night", timeZone: "UTC", start: "0 22 * * *", duration: "2h", replicas: 5 };
const paused = (minutes: number, pause: Fields = { reason: "incident" }) =>
  wla({
    spec: { mode: "Paused", pause },
    conditions: [condition("Paused", "True", "Paused", { lastTransitionTime: ago(minutes) })],
  });

export const bounds: Readonly<Record<string, Case>> = {
  "PL-030": {
    positive: facts(
      {
        decision: known(
          decisionOf(limited("TooManyReplicas", 22), {
            pods: podsOf(10),
            samples: [cpuSamples(Array.from({ length: 10 }, () => 480))],
            replicas: 10,
          }),
        ),
      },
      limited("TooManyReplicas", 22),
    ),
    says: ["at maxReplicas for 22m while metrics call for 16", "cpu 96% / 60%", "maxReplicas 10"],
    negative: facts({}, limited("TooManyReplicas", 14)),
    unreadable: facts({ decision: no }, limited("TooManyReplicas", 14)),
  },
  "PL-031": {
    positive: facts({}, hpa({ spec: { minReplicas: 3, maxReplicas: 3 } })),
    says: ["minReplicas and maxReplicas are both 3"],
    negative: facts({}, scheduled(nightly)),
    unreadable: facts({}),
  },
  "PL-032": {
    positive: facts({}, limited("TooFewReplicas", 60)),
    says: ["ScalingLimited of default/shop says TooFewReplicas"],
    negative: facts({}, limited("ScaleDownLimit", 60)),
    unreadable: facts({}),
  },
  "PL-033": {
    positive: facts(
      { pods: known([...podsOf(3), pendingPod(3), pendingPod(4)]), decision: no },
      hpa({ status: { desiredReplicas: 5 } }),
    ),
    says: [
      "2 pods do not start, while 5 are wanted and 3 are ready",
      "2 pods Unschedulable: 0/5 nodes are available",
    ],
    negative: facts(
      { pods: known([...podsOf(3), pendingPod(3)]), decision: no },
      hpa({ status: { desiredReplicas: 3 } }),
    ),
    unreadable: facts({ pods: no }),
  },
  "PL-034": {
    positive: facts({
      target: targetOf(
        deployment({
          status: {
            conditions: [
              condition("ReplicaFailure", "True", "FailedCreate", {
                message: "pods is forbidden: exceeded quota: team",
              }),
            ],
          },
        }),
      ),
    }),
    says: ["FailedCreate pods is forbidden: exceeded quota: team"],
    negative: facts({
      target: targetOf(
        deployment({ status: { conditions: [condition("ReplicaFailure", "True", "FailedCreate")] } }),
      ),
    }),
    unreadable: facts({ target: no }),
  },
  "PL-035": {
    positive: facts({
      quotas: known([{ metadata: { name: "team" }, spec: { hard: { "requests.cpu": "4" } } }]),
    }),
    says: ["maxReplicas needs more cpu than available", "cpu 10 × 500m = 5", "quota team allows 4"],
    negative: facts({
      quotas: known([
        { metadata: { name: "team" }, spec: { hard: { "requests.cpu": "4" }, scopes: ["BestEffort"] } },
      ]),
      nodes: known([node("1", { "karpenter.sh/nodepool": "x" })]),
    }),
    unreadable: facts({ quotas: no }),
  },
  "PL-036": {
    positive: facts({ pdbs: known([budget({ minAvailable: 2 })]) }),
    says: ["PodDisruptionBudget shop has minAvailable: 2", "minReplicas 2"],
    negative: facts({
      pdbs: known([
        budget({ minAvailable: "50%" }),
        {
          ...budget({ minAvailable: 2 }),
          spec: { minAvailable: 2, selector: { matchLabels: { app: "cart" } } },
        },
      ]),
    }),
    unreadable: facts({ pdbs: no }),
  },
  "PL-037": {
    positive: facts({
      events: known([
        rescale(3, 28),
        rescale(6, 24, "cpu above target"),
        rescale(3, 18),
        rescale(6, 12, "cpu above target"),
        rescale(3, 6),
      ]),
    }),
    says: [
      "the replicas changed direction 4 times in 30m",
      "turns 6 at 09:36, 3 at 09:42, 6 at 09:48, 3 at 09:54",
    ],
    negative: facts({
      events: known([
        rescale(3, 28),
        rescale(6, 24, "cpu above target"),
        rescale(8, 18, "cpu above target"),
        rescale(5, 6),
      ]),
    }),
    unreadable: facts({ events: no, history: no }),
  },
  "PL-038": {
    positive: facts({}, disabled(8 * 1440)),
    says: ["scaling down is disabled for 8d"],
    negative: facts({}, disabled(6 * 1440)),
    unreadable: facts(
      {},
      hpa({
        metadata: { creationTimestamp: undefined },
        spec: { behavior: { scaleUp: { selectPolicy: "Disabled" } } },
      }),
    ),
  },
  "PL-039": {
    positive: facts({ history: known(pastDecisions(70, () => ({ metrics: [{ ratio: 1.08 }] }))) }),
    says: ["cpu is at 1.08 of its target, within the tolerance for 60m"],
    negative: facts({
      history: known(pastDecisions(70, (index) => ({ metrics: [{ ratio: index === 40 ? 1.03 : 1.08 }] }))),
    }),
    unreadable: facts({ history: known(pastDecisions(20)) }),
  },
  "PL-040": {
    positive: facts(
      {
        decision: known(
          decisionOf(
            hpa(),
            { pods: podsOf(3), samples: [cpuSamples([100, 100, 100])] },
            {
              recommendations: [{ replicas: 3, atMs: nowMs - 120_000 }],
              scaleUpEvents: [],
              scaleDownEvents: [],
            },
          ),
        ),
      },
      hpa({ conditions: [condition("AbleToScale", "True", "ScaleDownStabilized")] }),
    ),
    says: [
      "the replicas are held until at least 10:03:00",
      "held by a recommendation of 3 from 09:58:00, window 300s",
    ],
    negative: facts({}),
    unreadable: facts({ decision: no }),
  },
  "PL-041": {
    positive: facts({
      ...rolling,
      pods: known(surging),
      decision: known(decisionOf(hpa(), { pods: podsOf(3), samples: [cpuSamples([480, 480, 480])] })),
    }),
    says: ["a rollout inflates the wanted replicas to 5", "2 pods are unready or surge, 67% of 3 replicas"],
    negative: facts({ ...rolling, pods: known(surging) }),
    unreadable: facts({ target: no }),
  },
  "PL-042": {
    positive: facts({}, scheduled(nightly, { ...nightly, name: "late", start: "0 23 * * *", replicas: 8 })),
    says: [
      "the schedules night and late contradict each other",
      "overlap with different replicas at 2026-11-22T23:00Z",
    ],
    negative: facts({}, scheduled(nightly, { ...nightly, name: "late", start: "30 0 * * *", replicas: 8 })),
    unreadable: facts({ scaledObjects: no }),
  },
  "PL-043": {
    positive: facts(
      {},
      wla({ spec: { schedules: [nightly], behavior: { scaleDown: { stabilizationWindowSeconds: 1800 } } } }),
    ),
    says: ["after a schedule ends, its replicas stay for 30m"],
    negative: facts({}, scheduled(nightly)),
    unreadable: facts({ scaledObjects: no }),
  },
  "PL-044": {
    positive: facts({}, paused(3000)),
    says: ["paused for 2d2h, without an end", "mode is Paused for 2d2h: incident"],
    negative: facts({}, paused(3000, { until: "2026-12-01T00:00:00Z" })),
    unreadable: facts({}, wla({ spec: { mode: "Paused" } })),
  },
};
