import { expect, test } from "vitest";
import {
  metadataReader,
  podReader,
  readPage,
  readStatusResponse,
  readWatchFrame,
  workloadReaderOf,
} from "../../src/protobuf/index.ts";
import {
  writeEnvelope,
  writeFrame,
  writeList,
  writePod,
  writeStatus,
  writeWorkload,
} from "../../src/protobuf/testing/index.ts";

const metadata = {
  name: "a",
  namespace: "ns",
  uid: "2f0c",
  resourceVersion: "7",
  creationTimestamp: "2026-01-01T00:00:00Z",
  labels: { app: "x", größe: "groß" },
};

const pod = {
  metadata: { ...metadata, deletionTimestamp: "2026-01-02T03:04:05Z" },
  spec: {
    containers: [
      {
        name: "main",
        ports: [{ name: "metrics", containerPort: 8080 }, { containerPort: 9090 }],
        resources: { requests: { cpu: "100m", "nvidia.com/gpu": "1" } },
      },
      { name: "bare", resources: {} },
    ],
    initContainers: [{ name: "first", restartPolicy: "Always", resources: { requests: { memory: "64Mi" } } }],
    hostNetwork: true,
    resources: { requests: { cpu: "1" } },
    overhead: { memory: "16Mi" },
  },
  status: {
    phase: "Running",
    podIP: "10.244.1.7",
    startTime: "2026-01-01T00:00:01Z",
    conditions: [
      { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:09Z" },
      { type: "Odd", status: "Unknown", lastTransitionTime: null },
    ],
    initContainerStatuses: [{ name: "migrate", state: { running: undefined } }],
    containerStatuses: [
      { name: "a", state: { running: {} } },
      { name: "b", state: { running: undefined } },
    ],
  },
};

test("a pod has what its JSON has", () => {
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList([writePod(pod)], "9", "more"));
  expect(readPage(bytes, podReader)).toEqual({
    apiVersion: "v1",
    kind: "PodList",
    metadata: { resourceVersion: "9", continue: "more" },
    items: [pod],
  });
});

test("a pod with nothing is read as one", () => {
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList([[], writePod({})], ""));
  const { items } = readPage(bytes, podReader);
  expect(items).toEqual([
    { metadata: { name: "" }, spec: { containers: [] }, status: {} },
    { metadata: { name: "" }, spec: { containers: [] }, status: {} },
  ]);
});

const selectors = {
  matchLabels: { app: "x" },
  matchExpressions: [
    { key: "tier", operator: "In", values: ["a", ""] },
    { key: "b", operator: "Exists" },
  ],
};

test.each([
  ["deployments", "apps/v1 Deployment", 2, selectors],
  ["statefulsets", "apps/v1 StatefulSet", 2, { matchLabels: { app: "x" } }],
  ["replicasets", "apps/v1 ReplicaSet", 1, { matchExpressions: selectors.matchExpressions }],
  ["replicationcontrollers", "v1 ReplicationController", 1, { app: "x", tier: "a" }],
] as const)("the scale of %s is what their JSON says", (resource, type, statusNumber, selector) => {
  const [apiVersion = "", kind = ""] = type.split(" ");
  const group = apiVersion === "v1" ? "" : "apps";
  const workload = { metadata, spec: { replicas: 3, selector }, status: { replicas: 2 } };
  const reader = workloadReaderOf({ group, version: "v1", resource });
  if (reader === undefined) throw new Error(`no reader of ${resource}`);
  const bytes = writeEnvelope(
    { apiVersion, kind: `${kind}List` },
    writeList([writeWorkload(statusNumber)(workload)], "9"),
  );
  expect(readPage(bytes, reader).items).toEqual([workload]);
});

test("custom resources, other kinds and other versions have no reader of their scale", () => {
  expect(workloadReaderOf({ group: "argoproj.io", version: "v1", resource: "deployments" })).toBeUndefined();
  expect(workloadReaderOf({ group: "apps", version: "v1", resource: "daemonsets" })).toBeUndefined();
  expect(workloadReaderOf({ group: "apps", version: "v1beta2", resource: "deployments" })).toBeUndefined();
});

test("of any kind the metadata can be read alone", () => {
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "NodeList" }, writeList([writePod(pod)], "9"));
  expect(readPage(bytes, metadataReader("v1", "Node")).items).toEqual([{ metadata: pod.metadata }]);
});

test("labels of neighbors are one object when they are the same, and are not mixed up when they are not", () => {
  const labelled = (labels: Readonly<Record<string, string>>) =>
    writePod({ metadata: { name: "a", labels } });
  const all = [{ a: "1" }, { a: "1" }, { a: "2" }, { a: "1", b: "1" }, { a: "1", b: "1" }, {}];
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList(all.map(labelled), "9"));
  const labels = readPage(bytes, podReader).items.map((item) => item.metadata.labels);
  expect(labels).toEqual([...all.slice(0, -1), undefined]);
  expect(labels[1]).toBe(labels[0]);
  expect(labels[4]).toBe(labels[3]);
});

test("strings that share a hash, and those that are too long to share, are what was sent", () => {
  const names = Array.from({ length: 20_000 }, (_, n) => `name-${n}`).concat("x".repeat(300), "ü".repeat(40));
  const pods = names.map((name) => writePod({ metadata: { name: "a", namespace: name } }));
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList(pods, "9"));
  expect(readPage(bytes, podReader).items.map((item) => item.metadata.namespace)).toEqual(names);
});

test("an event of a watch has its object, with its kind", () => {
  const frame = writeFrame("MODIFIED", writeEnvelope({ apiVersion: "v1", kind: "Pod" }, writePod(pod)));
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(readWatchFrame(frame.subarray(4), podReader)).toEqual({
    type: "MODIFIED",
    object: { apiVersion: "v1", kind: "Pod", ...pod },
  });
});

const status = {
  message: "too old resource version: 1 (1197)",
  reason: "Expired",
  code: 410,
  details: { retryAfterSeconds: 3 },
};

test("an error in a watch, and a response that is an error, are a Status", () => {
  const envelope = writeEnvelope({ apiVersion: "v1", kind: "Status" }, writeStatus(status));
  expect(readWatchFrame(writeFrame("ERROR", envelope).subarray(4), podReader)).toEqual({
    type: "ERROR",
    object: { kind: "Status", ...status },
  });
  expect(readStatusResponse(envelope)).toEqual({ kind: "Status", ...status });
  expect(readStatusResponse(writeEnvelope({ apiVersion: "v1", kind: "Pod" }, []))).toBeUndefined();
});

// What kube-apiserver 1.37 sent for a watch from a version that etcd has compacted.
const expired =
  "0a054552524f52125b0a596b3873000a0c0a02763112065374617475731241" +
  "0a060a0012001a0012074661696c7572651a22746f6f206f6c64207265736f757263652076657273696f6e3a2031202831313937292207" +
  "45787069726564309a031a002200";

test("the frame that kube-apiserver sends for a version that is gone is read", () => {
  expect(readWatchFrame(Buffer.from(expired, "hex"), podReader)).toMatchObject({
    type: "ERROR",
    object: { code: 410, reason: "Expired", message: "too old resource version: 1 (1197)" },
  });
});
