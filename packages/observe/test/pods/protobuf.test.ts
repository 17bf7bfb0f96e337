// A pod or workload that comes as protobuf is kept as the same object as from its JSON.
import type { KubeObject } from "@plimsoll/kube";
import { podReader, readPage, workloadReaderOf } from "@plimsoll/kube/protobuf";
import { writeEnvelope, writeList, writePod, writeWorkload } from "@plimsoll/kube/protobuf/testing";
import { createPodProjection, projectWorkload } from "@plimsoll/observe";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const text = fc.oneof(
  fc.constantFrom("a", "main", "größe", "__proto__"),
  fc.string({ minLength: 1, maxLength: 80 }),
);
const instant = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((seconds) => new Date(seconds * 1000).toISOString().replace(".000", ""));
const texts = fc.dictionary(text, fc.oneof(text, fc.constant("")), {
  minKeys: 1,
  maxKeys: 4,
  noNullPrototype: true,
});
const quantities = fc.dictionary(
  fc.constantFrom("cpu", "memory", "nvidia.com/gpu", "hugepages-2Mi"),
  fc.constantFrom("100m", "1", "64Mi", "1500m", "0"),
  { minKeys: 1, noNullPrototype: true },
);
const resources = fc.record({ requests: quantities, limits: quantities }, { requiredKeys: [] });
const container = fc.record(
  { name: text, resources, restartPolicy: fc.constantFrom("Always", "OnFailure") },
  { requiredKeys: ["name", "resources"] },
);
const metadata = fc.record(
  {
    name: text,
    namespace: text,
    uid: fc.uuid(),
    resourceVersion: fc.nat().map(String),
    generation: fc.nat(),
    creationTimestamp: instant,
    deletionTimestamp: instant,
    labels: texts,
    annotations: texts,
  },
  { requiredKeys: ["name", "creationTimestamp"] },
);
const pod = fc.record({
  metadata,
  spec: fc.record(
    {
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      initContainers: fc.array(container, { minLength: 1, maxLength: 2 }),
      resources,
      overhead: quantities,
    },
    { requiredKeys: ["containers"] },
  ),
  status: fc.record(
    {
      phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown"),
      startTime: instant,
      conditions: fc.array(
        fc.record({
          type: fc.constantFrom("Ready", "PodScheduled", "Initialized"),
          status: fc.constantFrom("True", "False", "Unknown"),
          lastTransitionTime: fc.option(instant, { nil: null }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  ),
});

test("pods", () => {
  assertProperty(
    fc.property(fc.array(pod, { maxLength: 4 }), (pods) => {
      const bytes = writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList(pods.map(writePod), "1"));
      const read = readPage(bytes, podReader).items as readonly unknown[] as readonly KubeObject[];
      expect(read.map(createPodProjection())).toStrictEqual(
        (pods as readonly KubeObject[]).map(createPodProjection()),
      );
    }),
    { numRuns: 2_000 },
  );
});

const labels = fc.dictionary(fc.constantFrom("app", "tier", "x/y"), fc.constantFrom("a", "b-1"), {
  minKeys: 1,
});
const selector = fc.record(
  {
    matchLabels: labels,
    matchExpressions: fc.array(
      fc.oneof(
        fc.record({
          key: fc.constantFrom("app", "tier"),
          operator: fc.constantFrom("In", "NotIn"),
          values: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 }),
        }),
        fc.record({
          key: fc.constantFrom("app", "tier"),
          operator: fc.constantFrom("Exists", "DoesNotExist"),
        }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);
const replicas = fc.integer({ min: 0, max: 2 ** 31 - 1 });

test.each([
  ["deployments", "apps/v1 Deployment", 2, selector],
  ["statefulsets", "apps/v1 StatefulSet", 2, selector],
  ["replicasets", "apps/v1 ReplicaSet", 1, selector],
  ["replicationcontrollers", "v1 ReplicationController", 1, labels],
] as const)("%s", (resource, kindText, statusNumber, selectors) => {
  const [apiVersion = "", kind = ""] = kindText.split(" ");
  const group = apiVersion === "v1" ? "" : "apps";
  const reader = workloadReaderOf({ group, version: "v1", resource });
  if (reader === undefined) throw new Error(`no reader of ${resource}`);
  const workload = fc.record({
    metadata,
    spec: fc.record({ replicas, selector: selectors as fc.Arbitrary<object> }, { requiredKeys: [] }),
    status: fc.record({ replicas }, { requiredKeys: [] }),
  });
  const type = { apiVersion, kind: `${kind}List` };
  assertProperty(
    fc.property(fc.array(workload, { maxLength: 3 }), (workloads) => {
      const bytes = writeEnvelope(type, writeList(workloads.map(writeWorkload(statusNumber)), "1"));
      const read = readPage(bytes, reader).items as readonly unknown[] as readonly KubeObject[];
      expect(read.map(projectWorkload)).toStrictEqual(
        (workloads as readonly KubeObject[]).map(projectWorkload),
      );
    }),
    { numRuns: 1_000 },
  );
});
