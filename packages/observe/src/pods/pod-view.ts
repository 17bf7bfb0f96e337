import { createInterner, type Interner } from "@plimsoll/component-base";
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

const maxSharedBytes = 8 * 1024 * 1024;

/**
 * Trims a pod on arrival, and reads once what each evaluation needs: ten thousand HPAs' worth of pods stay. Pods of
 * one template share what they have in common.
 */
export function createPodProjection(): (raw: KubeObject) => PodView {
  const intern = createInterner(maxSharedBytes);
  return (raw) => {
    const { metadata, spec, status } = raw as RawPod;
    const { namespace, labels } = metadata;
    return preparePod({
      metadata: projectMetadata({
        ...metadata,
        ...(namespace === undefined ? {} : { namespace: intern.string(namespace) }),
        ...(labels === undefined ? {} : { labels: intern.value(labels) }),
      }),
      spec: intern.value(projectSpec(spec)),
      status: projectStatus(status, intern),
    });
  };
}

/** One literal for what nearly all pods have: an object that grows field by field takes more memory. */
function projectMetadata(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const isPlain = deletionTimestamp === undefined || deletionTimestamp === null;
  if (
    isPlain &&
    namespace !== undefined &&
    uid !== undefined &&
    resourceVersion !== undefined &&
    labels !== undefined
  )
    return { name, namespace, uid, resourceVersion, labels };
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(labels === undefined ? {} : { labels }),
    ...(isPlain ? {} : { deletionTimestamp }),
  };
}

function projectStatus(status: RawPod["status"], intern: Interner): NonNullable<PodView["status"]> {
  const ready = (status?.conditions ?? []).filter(({ type }) => type === "Ready");
  const conditions = intern.value(
    ready.map(({ type, status, lastTransitionTime }) => ({ type, status, lastTransitionTime })),
  );
  const phase = status?.phase === undefined ? undefined : intern.string(status.phase);
  const startTime =
    status?.startTime === undefined || status.startTime === null
      ? undefined
      : intern.string(status.startTime);
  if (phase !== undefined && startTime !== undefined) return { phase, startTime, conditions };
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(startTime === undefined ? {} : { startTime }),
    conditions,
  };
}

function projectSpec(spec: RawPod["spec"]): NonNullable<PodView["spec"]> {
  return {
    containers: (spec?.containers ?? []).map(projectContainer),
    ...(spec?.initContainers === undefined
      ? {}
      : { initContainers: spec.initContainers.map(projectContainer) }),
    ...(spec?.resources?.requests === undefined ? {} : { resources: { requests: spec.resources.requests } }),
    ...(spec?.overhead === undefined ? {} : { overhead: spec.overhead }),
  };
}

function projectContainer(container: RawContainer): RawContainer {
  const requests = container.resources?.requests;
  return {
    name: container.name,
    ...(container.restartPolicy === undefined ? {} : { restartPolicy: container.restartPolicy }),
    ...(requests === undefined ? {} : { resources: { requests } }),
  };
}
