// The pods of a record, and those that would come and go.
import { formatInstant, type Pod, type PodsReading, preparePod } from "@plimsoll/core";

interface ProjectedPod {
  readonly name: string;
  readonly createdMs: number;
  /** Pods of the record have been Ready or not since before it. */
  readonly readyMs: number;
  readonly isNew: boolean;
  pod: Pod;
}

/** The pods at an instant. */
export interface ProjectedPods {
  reading(atMs: number): PodsReading;
  /** Names of those that a metric may have a value of. */
  sampled(atMs: number): readonly string[];
  scaleTo(replicas: number, atMs: number): void;
}

/** Pods that are being deleted or have failed go first; new ones are as the first of the record. */
export function createProjectedPods(read: PodsReading, startMs: number, readyAfterMs: number): ProjectedPods {
  const template = read.ok ? read.pods[0] : undefined;
  let pods: readonly ProjectedPod[] = (read.ok ? read.pods : []).filter(counts).map((pod) => ({
    name: pod.metadata?.name ?? "",
    createdMs: startMs,
    readyMs: startMs,
    isNew: false,
    pod,
  }));
  let made = 0;
  const add = (atMs: number): ProjectedPod => {
    const name = `simulated-${++made}`;
    const pod = { name, createdMs: atMs, readyMs: atMs + readyAfterMs, isNew: true };
    return { ...pod, pod: podAt(pod, template, atMs) };
  };
  return {
    reading(atMs) {
      if (!read.ok) return read;
      for (const one of pods) if (one.isNew) one.pod = podAt(one, template, atMs);
      return { ok: true, pods: pods.map(({ pod }) => pod) };
    },
    sampled: (atMs) => pods.filter(({ readyMs }) => readyMs <= atMs).map(({ name }) => name),
    scaleTo(replicas, atMs) {
      const missing = Math.max(0, replicas - pods.length);
      // The newest go first.
      pods = [...pods.slice(0, replicas), ...Array.from({ length: missing }, () => add(atMs))];
    },
  };
}

function counts({ metadata, status }: Pod): boolean {
  const isDeleted = metadata?.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
  return !isDeleted && status?.phase !== "Failed" && status?.phase !== "Succeeded";
}

function podAt(
  { name, createdMs, readyMs }: Pick<ProjectedPod, "name" | "createdMs" | "readyMs">,
  template: Pod | undefined,
  atMs: number,
): Pod {
  const isReady = readyMs <= atMs;
  const condition = {
    type: "Ready",
    status: isReady ? "True" : "False",
    lastTransitionTime: formatInstant(isReady ? readyMs : createdMs),
  };
  const { namespace, labels } = template?.metadata ?? {};
  return preparePod({
    metadata: { name, namespace, labels },
    spec: template?.spec,
    status: { phase: "Running", startTime: formatInstant(createdMs), conditions: [condition] },
  });
}
