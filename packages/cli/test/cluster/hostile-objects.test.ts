// Whatever a tenant writes, the commands that diagnose the others run to their end.
import { join } from "node:path";
import type { ServedObject } from "@plimsoll/observe";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeCluster, fakeCluster, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

const folder = fileFolder();
const long = "x".repeat(300_000);
const pem = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----";

function external(name: string): ServedObject["spec"]["metrics"] {
  return [{ type: "External", external: { metric: { name }, target: { type: "Value", value: "1" } } }];
}

type Putting = (cluster: FakeCluster) => void;

const hpa =
  (more: Partial<Parameters<typeof putWorkload>[1]>): Putting =>
  (cluster) =>
    putWorkload(cluster, { name: "mallory", replicas: 1, status: statusOf(1, { cpu: 60 }), ...more });

const raw =
  (kind: string, apiVersion: string, rest: object): Putting =>
  (cluster) =>
    cluster.put({
      apiVersion,
      kind,
      metadata: { name: "mallory", namespace: "default" },
      ...rest,
    });

const wla = (spec: unknown): Putting =>
  raw("WorkloadAutoscaler", "autoscaling.plimsoll.dev/v1alpha1", { spec });

const hostile: Readonly<Record<string, Putting>> = {
  "annotations with keys": hpa({ metadata: { annotations: { "autoscaling.plimsoll.dev/x": pem } } }),
  "a long name of a metric": hpa({ metrics: external(long) }),
  "a name of a metric with a key": hpa({ metrics: external(pem) }),
  "a name of a metric that is a path": hpa({ metrics: external("../../../api/v1/secrets") }),
  "a long status": hpa({
    status: {
      currentReplicas: 1,
      desiredReplicas: 1,
      currentMetrics: null,
      conditions: [{ type: "ScalingActive", status: "False", reason: long, message: long }],
    },
  }),
  "times that are none": hpa({
    status: {
      currentReplicas: 1,
      desiredReplicas: 1,
      currentMetrics: null,
      lastScaleTime: "soon",
      conditions: [
        { type: "AbleToScale", status: "True", reason: "x", message: "", lastTransitionTime: "never" },
      ],
    },
  }),
  "metrics without a source": hpa({
    metrics: [{ type: "Pods" }, { type: "Resource" }, { type: "Object" }] as never,
  }),
  "a target that is not a quantity": hpa({
    metrics: [
      { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: long } } },
    ],
  }),
  "a WorkloadAutoscaler without a spec": wla(undefined),
  "a WorkloadAutoscaler whose spec is a text": wla("spec"),
  "a WorkloadAutoscaler without a target": wla({ maxReplicas: 3 }),
  "a WorkloadAutoscaler with wrong types": wla({
    scaleTargetRef: "x",
    maxReplicas: "many",
    metrics: {},
    schedules: 3,
    behavior: [],
  }),
  "a WorkloadAutoscaler with null": wla({
    scaleTargetRef: { kind: "Deployment", name: "mallory" },
    maxReplicas: 3,
    metrics: [null],
    schedules: [null],
  }),
  "a WorkloadAutoscaler whose lists are none": (cluster) => {
    const spec = {
      scaleTargetRef: { kind: "Deployment", name: "mallory" },
      maxReplicas: 3,
      metrics: {},
      schedules: "x",
      behavior: 3,
      tuning: [],
      pause: "p",
      mode: {},
    };
    const status = {
      conditions: "x",
      currentMetrics: {},
      schedules: 3,
      currentReplicas: {},
      lastScaleTime: {},
    };
    raw("WorkloadAutoscaler", "autoscaling.plimsoll.dev/v1alpha1", { spec, status })(cluster);
  },
  "a WorkloadAutoscaler whose status is a text": (cluster) => {
    const spec = {
      scaleTargetRef: { kind: "Deployment", name: "mallory" },
      maxReplicas: 3,
      metrics: ["x", 3, []],
    };
    raw("WorkloadAutoscaler", "autoscaling.plimsoll.dev/v1alpha1", { spec, status: "x" })(cluster);
  },
  "pods without a spec": raw("Pod", "v1", {}),
  "an event without an object": raw("Event", "v1", { lastTimestamp: "never" }),
  "a lease that announces anything": raw("Lease", "coordination.k8s.io/v1", {
    spec: { holderIdentity: long, leaseDurationSeconds: -1, renewTime: "now" },
  }),
  "a ScaledObject of nothing": raw("ScaledObject", "keda.sh/v1alpha1", {}),
};

const commands = [
  ["status", "-A"],
  ["doctor", "-A"],
  ["explain", "shop"],
  ["bundle", "-A", "--include-pods"],
] as const;

test.each(
  Object.entries(hostile).flatMap(([what, put]) =>
    commands.map(([name, ...args]) => ({ what, put, name, args })),
  ),
)("$name with $what", async ({ put, name, args }) => {
  const cluster = fakeCluster();
  putWorkload(cluster, { name: "shop", replicas: 3, status: statusOf(3, { cpu: 60 }) });
  put(cluster);
  const file = join(folder, "bundle.tgz");
  const ran = await run(cluster, [name, ...args, ...(name === "bundle" ? ["-O", file, "--force"] : [])]);
  expect([ran.code <= 2, ran.errors.slice(0, 2000)]).toEqual([
    true,
    expect.not.stringMatching(/bug|TypeError|at .*\.ts:/),
  ]);
  expect(ran.code).not.toBe(name === "bundle" ? 1 : 70);
  expect(ran.out).toContain(name === "doctor" ? "" : "shop");
  expect(`${ran.out}${ran.errors}`.length).toBeLessThan(200_000);
  expect(`${ran.out}${ran.errors}`).not.toContain("MIIB");
});
