// What the doctor does not find in targets that are well.
import type { Fields } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { known } from "../src/index.ts";
import {
  ago,
  apiService,
  condition,
  cpuSamples,
  decisionOf,
  examine,
  found,
  hpa,
  node,
  pendingPod,
  podsOf,
  said,
  type World,
  wla,
} from "./world.ts";

test("replicas that reached the maximum just now are not at it for as long as they are limited", () => {
  // ScalingLimited keeps its time when its reason changes from TooFewReplicas.
  const limited = (lastScaleTime: string) =>
    hpa({
      status: { currentReplicas: 10, desiredReplicas: 10, lastScaleTime },
      conditions: [condition("ScalingLimited", "True", "TooManyReplicas", { lastTransitionTime: ago(300) })],
    });
  const decision = known(
    decisionOf(limited(ago(1)), {
      pods: podsOf(10),
      samples: [cpuSamples(Array.from({ length: 10 }, () => 480))],
      replicas: 10,
    }),
  );
  expect(found("PL-030", { object: limited(ago(1)), facts: { decision } })).toEqual([]);
  expect(found("PL-030", { object: limited(ago(20)), facts: { decision } }).join()).toMatch(
    /^at maxReplicas for 20m /,
  );
});

test("a quota that refused pods some time ago, which run now, refuses none", () => {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "shop" };
  const event = {
    involvedObject: { kind: "StatefulSet", name: "shop" },
    reason: "FailedCreate",
    message: "create Pod shop-2 in StatefulSet shop failed error: exceeded quota: team",
    lastTimestamp: ago(50),
  };
  const refused = (replicas: number): World => ({
    object: hpa({ spec: { scaleTargetRef } }),
    facts: {
      events: known([event]),
      target: known({ found: true, object: { spec: { replicas: 3 }, status: { replicas } } }),
    },
  });
  expect(found("PL-034", refused(3))).toEqual([]);
  expect(found("PL-034", refused(2))).toHaveLength(1);
});

test("a disruption budget over several workloads lets pods of one go while others run", () => {
  const budget = (expectedPods: number): World => ({
    facts: {
      pdbs: known([
        {
          metadata: { name: "tier" },
          spec: { minAvailable: 2, selector: { matchLabels: { app: "shop" } } },
          status: { expectedPods },
        },
      ]),
    },
  });
  // Three pods of the object, which may fall to two.
  expect(found("PL-036", budget(6))).toEqual([]);
  expect(found("PL-036", budget(3))).toHaveLength(1);
});

test("a scale-up of a kind without updatedReplicas is not taken for a rollout", () => {
  const pods = [...podsOf(3), pendingPod(3), pendingPod(4)];
  const decision = known(decisionOf(hpa(), { pods: podsOf(3), samples: [cpuSamples([480, 480, 480])] }));
  const custom = known({ found: true as const, object: { spec: { replicas: 5 }, status: { replicas: 5 } } });
  const object = hpa({
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "shop" } },
  });
  expect(found("PL-041", { object, facts: { pods: known(pods), decision, target: custom } })).toEqual([]);
});

test("schedules that a calendar keeps apart are no contradiction, and are said to be unchecked", () => {
  const base = { timeZone: "UTC", start: "0 8 * * *", duration: "8h" };
  const usual = { ...base, name: "usual", replicas: 5, exclusions: [{ calendarName: "holidays.ics" }] };
  const holidays = { ...base, name: "holidays", replicas: 2 };
  const examined = examine("PL-042", { object: wla({ spec: { schedules: [usual, holidays] } }) });
  expect(examined.findings.map(said)).toEqual([]);
  expect(examined.skipped.map(({ reason }) => reason)).toEqual([
    "days excluded by a calendar are not checked",
  ]);
  const third = { ...holidays, name: "third", replicas: 3 };
  const object = wla({ spec: { schedules: [usual, holidays, third] } });
  expect(found("PL-042", { object }).join()).toMatch(
    /^the schedules holidays and third contradict each other/,
  );
});

test("a lease that an earlier installation left behind is not blamed on the one that runs", () => {
  const lease = (namespace: string, renewTime: string): Fields => ({
    metadata: { name: "plimsoll-autoscaler", namespace },
    spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime },
  });
  const installation = (...leases: readonly Fields[]): World => ({
    facts: { installation: known({ leases, missingFields: [], newestDecision: undefined }) },
  });
  expect(found("PL-046", installation(lease("old", ago(9000)), lease("new", ago(0.1))))).toEqual([]);
  expect(found("PL-046", installation(lease("old", ago(9000)), lease("new", ago(5))))).toHaveLength(1);
});

test("a VerticalPodAutoscaler of a sidecar does not change the requests of the main container", () => {
  const target = { type: "Utilization", averageUtilization: 60 };
  const containerResource = { name: "cpu", container: "main", target };
  const object = hpa({ spec: { metrics: [{ type: "ContainerResource", containerResource }] } });
  const vpa = (...containerPolicies: readonly Fields[]): World => ({
    object,
    facts: {
      vpas: known([
        {
          metadata: { name: "sidecar" },
          spec: {
            targetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
            resourcePolicy: { containerPolicies },
          },
        },
      ]),
    },
  });
  const off = { containerName: "*", mode: "Off" };
  expect(found("PL-009", vpa({ containerName: "proxy", mode: "Auto" }, off))).toEqual([]);
  expect(found("PL-009", vpa({ containerName: "main", controlledResources: ["memory"] }))).toEqual([]);
  expect(found("PL-009", vpa({ containerName: "main", mode: "Auto" }, off))).toHaveLength(1);
  // One without a policy gets recommendations of cpu and memory.
  expect(found("PL-009", vpa({ containerName: "proxy", mode: "Off" }))).toHaveLength(1);
});

test("a container that idles beside another idle one hides nothing", () => {
  const containers = [
    { name: "main", resources: { requests: { cpu: "500m" } } },
    { name: "cache", resources: { requests: { cpu: "600m" } } },
  ];
  const pods = podsOf(3, { containers });
  const usage = (main: string) =>
    known([
      {
        samples: {
          pods: pods.map((_, index) => ({
            name: `shop-5d89-${index}`,
            timestamp: ago(0.5),
            windowSeconds: 30,
            containers: { main: { cpu: main }, cache: { cpu: "10m" } },
          })),
        },
      },
    ]);
  expect(found("PL-016", { facts: { pods: known(pods), samples: usage("20m") } })).toEqual([]);
  expect(found("PL-016", { facts: { pods: known(pods), samples: usage("400m") } })).toHaveLength(1);
});

test("more than the present nodes hold is a note, since nodes may be added", () => {
  const severity = (facts: World["facts"]) =>
    examine("PL-035", { facts: facts ?? {} }).findings.map((one) => one.severity);
  expect(severity({ nodes: known([node("1")]) })).toEqual(["info"]);
  const quota = { metadata: { name: "team" }, spec: { hard: { "requests.cpu": "4" } } };
  expect(severity({ quotas: known([quota]) })).toEqual(["warn"]);
});

test("an error of TLS is none of the CA where the certificate is not verified", () => {
  const message = "Get https://10.0.0.9/apis: remote error: tls: certificate required";
  const unavailable = (spec: Fields): World => ({
    facts: {
      apiServices: known([
        apiService("metrics.k8s.io", {
          spec,
          conditions: [condition("Available", "False", "FailedDiscoveryCheck", { message })],
        }),
      ]),
    },
  });
  expect(found("PL-020", unavailable({ insecureSkipTLSVerify: true }))).toEqual([]);
  expect(found("PL-020", unavailable({ caBundle: "Zm9v" }))).toHaveLength(1);
});
