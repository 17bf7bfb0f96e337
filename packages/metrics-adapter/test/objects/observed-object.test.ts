import type { KubeObject } from "@plimsoll/kube";
import { readPage } from "@plimsoll/kube/protobuf";
import { writeEnvelope, writeList, writePod } from "@plimsoll/kube/protobuf/testing";
import { expect, test } from "vitest";
import { observedKind, projectObject } from "../../src/objects/observed-object.ts";

const info = (group: string, version: string, resource: string, kind: string) => ({
  group,
  version,
  resource,
  kind,
});

const object = {
  metadata: {
    name: "a",
    namespace: "ns",
    uid: "u",
    resourceVersion: "7",
    labels: { app: "x" },
    deletionTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: {
    hostNetwork: true,
    containers: [
      { name: "main", ports: [{ name: "metrics", containerPort: 8080 }, { containerPort: 9090 }] },
    ],
  },
  status: {
    phase: "Running",
    podIP: "10.244.1.7",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: null }],
    containerStatuses: [{ name: "main", state: { running: {} } }],
  },
};

test.each([
  ["pods", info("", "v1", "pods", "Pod")],
  ["services", info("", "v1", "services", "Service")],
  ["deployments", info("apps", "v1", "deployments", "Deployment")],
  ["ingresses", info("networking.k8s.io", "v1", "ingresses", "Ingress")],
])("%s from protobuf are kept as from JSON", (_name, resource) => {
  const kind = observedKind(resource);
  if (kind === undefined) throw new Error("no reader");
  const fields = writePod(object).filter(([number]) => resource.kind === "Pod" || number === 1);
  const { apiVersion } = kind;
  const bytes = writeEnvelope({ apiVersion, kind: `${resource.kind}List` }, writeList([fields], "9"));
  const read = readPage(bytes, kind).items as readonly unknown[] as readonly KubeObject[];
  const json = resource.kind === "Pod" ? object : { metadata: object.metadata };
  expect(read.map(projectObject)).toStrictEqual([projectObject(json)]);
});

test("a pod says where it can be scraped", () => {
  expect(projectObject(object as KubeObject).endpoint).toEqual({
    ip: "10.244.1.7",
    isReady: true,
    isEnding: true,
    isOfNode: true,
    ports: [
      { container: "main", name: "metrics", number: 8080 },
      { container: "main", name: undefined, number: 9090 },
    ],
  });
  expect(projectObject({ ...object, status: { phase: "Pending" } } as KubeObject).endpoint).toBeUndefined();
});

test("objects whose messages are not Kubernetes' own are read as JSON", () => {
  expect(observedKind(info("example.com", "v1", "pods", "Pod"))).toBeUndefined();
});
