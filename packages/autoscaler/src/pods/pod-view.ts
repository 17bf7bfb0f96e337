import { type Pod, type PodCondition, preparePod } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";

/** A pod cut down to what the math reads. */
export type PodView = KubeObject & Pick<Pod, "spec" | "status">;

interface RawContainer {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly RawContainer[];
    readonly initContainers?: readonly RawContainer[];
    readonly resources?: RawContainer["resources"];
    readonly overhead?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly PodCondition[];
  };
}

/** Trims a pod on arrival, and reads once what each evaluation needs: ten thousand HPAs' worth of pods stay. */
export function projectPod(raw: KubeObject): PodView {
  const { metadata, spec, status } = raw as RawPod;
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  return preparePod({
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(deletionTimestamp === undefined || deletionTimestamp === null ? {} : { deletionTimestamp }),
    },
    spec: {
      containers: (spec?.containers ?? []).map(projectContainer),
      ...(spec?.initContainers === undefined
        ? {}
        : { initContainers: spec.initContainers.map(projectContainer) }),
      ...(spec?.resources?.requests === undefined
        ? {}
        : { resources: { requests: spec.resources.requests } }),
      ...(spec?.overhead === undefined ? {} : { overhead: spec.overhead }),
    },
    status: {
      ...(status?.phase === undefined ? {} : { phase: status.phase }),
      ...(status?.startTime === undefined || status.startTime === null
        ? {}
        : { startTime: status.startTime }),
      conditions: (status?.conditions ?? [])
        .filter((condition) => condition.type === "Ready")
        .map(({ type, status, lastTransitionTime }) => ({ type, status, lastTransitionTime })),
    },
  });
}

function projectContainer(container: RawContainer): RawContainer {
  const requests = container.resources?.requests;
  return {
    name: container.name,
    ...(container.restartPolicy === undefined ? {} : { restartPolicy: container.restartPolicy }),
    ...(requests === undefined ? {} : { resources: { requests } }),
  };
}
