// Pods and usage of the size that real ones have, in JSON and in protobuf.
import {
  type Field,
  writeEnvelope,
  writeList,
  writePod,
  writePodMetrics,
} from "@plimsoll/kube/protobuf/testing";

/** The same list both ways. */
export interface BothWays {
  readonly items: number;
  readonly json: Buffer;
  readonly protobuf: Buffer;
}

const namespace = "default";
const start = Date.UTC(2026, 0, 1);
const podsOfWorkload = 15;

function instant(second: number): string {
  return new Date(start + second * 1000).toISOString().replace(".000", "");
}

function metadataOf(n: number) {
  const app = `workload-${Math.floor(n / podsOfWorkload)}`;
  return {
    name: `${app}-5d4f6c7b9d-${((n * 7919) % 60_466_176).toString(36).padStart(5, "x")}`,
    namespace,
    creationTimestamp: instant(0),
    labels: {
      app,
      "app.kubernetes.io/name": app,
      "app.kubernetes.io/version": "1.2.3",
      "pod-template-hash": "5d4f6c7b9d",
    },
  };
}

/** In about the bytes that a pod with two containers, two volumes and some variables has beside what is read. */
const unread = {
  managedFields: Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`f:field-${n}`, { ".": {} }])),
  variables: Array.from({ length: 40 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `value-${n}` })),
  statuses: Array.from({ length: 12 }, (_, n) => ({
    type: `Condition${n}`,
    status: "True",
    lastProbeTime: null,
  })),
};

function podOf(n: number) {
  const requests = { cpu: "250m", memory: "256Mi" };
  return {
    metadata: {
      ...metadataOf(n),
      uid: `b61c8b33-8e74-4e14-bcc9-${String(n).padStart(12, "0")}`,
      resourceVersion: String(1000 + n),
      managedFields: [{ manager: "kubelet", fieldsV1: unread.managedFields }],
    },
    spec: {
      containers: [
        { name: "main", resources: { requests }, env: unread.variables },
        { name: "sidecar", resources: { requests: { cpu: "100m", memory: "128Mi" } } },
      ],
    },
    status: {
      phase: "Running",
      startTime: instant(n),
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: instant(n + 12),
      })),
      containerStatuses: unread.statuses,
    },
  };
}

/** The fields of the JSON that are not read, as fields of a length. */
function withUnread(
  fields: readonly Field[],
  [metadata, spec, status]: readonly Field[][],
): readonly Field[] {
  const more = [metadata ?? [], spec ?? [], status ?? []];
  return fields.map(
    ([number, value], n): Field => [number, [...(value as readonly Field[]), ...(more[n] ?? [])]],
  );
}

export function podsBothWays(items: number): BothWays {
  const pods = Array.from({ length: items }, (_, n) => podOf(n));
  const managedFields = JSON.stringify(unread.managedFields);
  const more: Field[][] = [
    [[17, [[7, [[1, managedFields]]]]]],
    unread.variables.map(
      ({ name, value }): Field => [
        1,
        [
          [1, name],
          [2, value],
        ],
      ],
    ),
    unread.statuses.map(
      ({ type }): Field => [
        8,
        [
          [1, type],
          [2, "True"],
        ],
      ],
    ),
  ];
  const messages = pods.map((pod) => withUnread(writePod(pod), more));
  return {
    items,
    json: Buffer.from(
      JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9" }, items: pods }),
    ),
    protobuf: writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList(messages, "9")),
  };
}

export function usageBothWays(items: number): BothWays {
  const type = { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1" };
  const usage = Array.from({ length: items }, (_, n) => ({
    metadata: metadataOf(n),
    timestamp: instant(n % 15),
    window: "15.1s",
    containers: [
      { name: "main", usage: { cpu: `${76_397_251 + n * 1013}n`, memory: `${445_299 + n}Ki` } },
      { name: "sidecar", usage: { cpu: `${1_058_757 + n * 17}n`, memory: `${17_716 + n}Ki` } },
    ],
  }));
  return {
    items,
    json: Buffer.from(JSON.stringify({ ...type, metadata: {}, items: usage })),
    protobuf: writeEnvelope(
      type,
      writeList(
        usage.map((item) => writePodMetrics(item, 15.1e9)),
        "",
      ),
    ),
  };
}
