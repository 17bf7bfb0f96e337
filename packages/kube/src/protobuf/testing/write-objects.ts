// Writes objects as API servers do, from their JSON; fields that are unknown here are left out.
import { type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { type Field, writeMessage } from "./write-message.ts";

/** How the JSON of a kind becomes the fields of its message. */
export type WriteKind = (json: Fields) => readonly Field[];

export const writePod: WriteKind = ({ metadata, spec, status }) => [
  [1, writeMetadata(fieldsOf(metadata))],
  [2, writePodSpec(fieldsOf(spec))],
  [3, writePodStatus(fieldsOf(status))],
];

/** Of PodMetrics; the window is in whole nanoseconds. */
export const writePodMetrics = (json: Fields, windowNs: number): readonly Field[] => [
  [1, writeMetadata(fieldsOf(json["metadata"]))],
  [2, writeTime(json["timestamp"])],
  [3, [[1, windowNs]]],
  ...listOf(json["containers"]).map(
    ({ name, usage }): Field => [4, [[1, textOf(name)], ...writeQuantities(2, usage)]],
  ),
];

/** The number of status.replicas is 1 or 2. */
export function writeWorkload(statusNumber: number): WriteKind {
  return ({ metadata, spec, status }) => {
    const { replicas, selector } = fieldsOf(spec);
    return [
      [1, writeMetadata(fieldsOf(metadata))],
      [2, [...number(1, replicas), ...writeSelector(selector)]],
      // Where the replicas are in the second place, the observed generation is in the first.
      [
        3,
        [
          ...number(3 - statusNumber, statusNumber === 2 ? 7 : undefined),
          ...number(statusNumber, fieldsOf(status)["replicas"]),
        ],
      ],
    ];
  };
}

export function writeList(items: readonly (readonly Field[])[], resourceVersion: string, token = ""): Buffer {
  return writeMessage([
    [
      1,
      [
        [1, ""],
        [2, resourceVersion],
        [3, token],
      ],
    ],
    ...items.map((item): Field => [2, item]),
  ]);
}

export function writeStatus({ message, reason, code, details }: Fields): readonly Field[] {
  return [
    [1, []],
    [2, "Failure"],
    [3, textOf(message)],
    [4, textOf(reason)],
    ...(details === undefined ? [] : [[5, number(5, fieldsOf(details)["retryAfterSeconds"])] as Field]),
    ...number(6, code),
  ];
}

function writeMetadata(metadata: Fields): readonly Field[] {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return [
    [1, textOf(name)],
    [2, ""],
    [3, textOf(namespace)],
    [5, textOf(uid)],
    [6, textOf(resourceVersion)],
    ...number(7, metadata["generation"]),
    [8, writeTime(metadata["creationTimestamp"])],
    ...(deletionTimestamp === undefined ? [] : [[9, writeTime(deletionTimestamp)] as Field]),
    ...writeTexts(11, metadata["labels"]),
    ...writeTexts(12, metadata["annotations"]),
  ];
}

function writePodSpec(spec: Fields): readonly Field[] {
  return [
    [3, "Always"],
    ...number(11, spec["hostNetwork"] === true ? 1 : undefined),
    ...listOf(spec["containers"]).map((container): Field => [2, writeContainer(container)]),
    ...listOf(spec["initContainers"]).map((container): Field => [20, writeContainer(container)]),
    ...writeQuantities(32, spec["overhead"]),
    ...(spec["resources"] === undefined ? [] : [[40, writeResources(spec["resources"])] as Field]),
  ];
}

function writeContainer({ name, ports, resources, restartPolicy }: Fields): readonly Field[] {
  return [
    [1, textOf(name)],
    [2, "registry.example/image:1"],
    ...listOf(ports).map(
      ({ name: port, containerPort }): Field => [
        6,
        [[1, textOf(port)], ...number(3, containerPort), [4, "TCP"]],
      ],
    ),
    [8, writeResources(resources)],
    ...(restartPolicy === undefined ? [] : [[24, textOf(restartPolicy)] as Field]),
  ];
}

function writeResources(resources: unknown): readonly Field[] {
  const { limits, requests } = fieldsOf(resources);
  return [...writeQuantities(1, limits), ...writeQuantities(2, requests)];
}

function writePodStatus({ phase, conditions, startTime, ...status }: Fields): readonly Field[] {
  return [
    [1, textOf(phase)],
    ...listOf(conditions).map(
      ({ type, status, lastTransitionTime }): Field => [
        2,
        [
          [1, textOf(type)],
          [2, textOf(status)],
          [3, []],
          [4, writeTime(lastTransitionTime)],
        ],
      ],
    ),
    [6, textOf(status["podIP"])],
    ...(startTime === undefined ? [] : [[7, writeTime(startTime)] as Field]),
    ...listOf(status["containerStatuses"]).map((one): Field => [8, writeContainerStatus(one)]),
    ...listOf(status["initContainerStatuses"]).map((one): Field => [10, writeContainerStatus(one)]),
  ];
}

function writeContainerStatus({ name, state }: Fields): readonly Field[] {
  const { running, terminated } = fieldsOf(state);
  const [number, value] =
    terminated === undefined ? [running === undefined ? 1 : 2, running] : [3, terminated];
  return [
    [1, textOf(name)],
    [2, [[number, writeTime(fieldsOf(value)["startedAt"])]]],
  ];
}

function writeSelector(selector: unknown): readonly Field[] {
  if (selector === undefined) return [];
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  // That of a ReplicationController is the labels themselves.
  if (matchLabels === undefined && matchExpressions === undefined) return writeTexts(2, selector);
  const expressions = listOf(matchExpressions).map(
    ({ key, operator, values }): Field => [
      2,
      [
        [1, textOf(key)],
        [2, String(operator)],
        ...((values ?? []) as readonly string[]).map((value): Field => [3, value]),
      ],
    ],
  );
  return [[2, [...writeTexts(1, matchLabels), ...expressions]]];
}

function writeTime(time: unknown): readonly Field[] {
  if (typeof time !== "string") return [];
  return [
    [1, Math.trunc(Date.parse(time) / 1000)],
    [2, 0],
  ];
}

/** As Go does: by key. */
function writeTexts(field: number, texts: unknown): readonly Field[] {
  return entriesOf(texts).map(([key, value]) => [
    field,
    [
      [1, key],
      [2, value],
    ],
  ]);
}

function writeQuantities(field: number, quantities: unknown): readonly Field[] {
  return entriesOf(quantities).map(([key, value]) => [
    field,
    [
      [1, key],
      [2, [[1, value]]],
    ],
  ]);
}

function entriesOf(record: unknown): readonly (readonly [string, string])[] {
  return Object.entries(fieldsOf(record) as Readonly<Record<string, string>>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
}

function number(field: number, value: unknown): readonly Field[] {
  return typeof value === "number" ? [[field, value]] : [];
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
