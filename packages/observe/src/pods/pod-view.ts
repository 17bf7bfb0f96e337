import { createInterner, type Interner } from "@plimsoll/component-base";
import { type Container, createPodCompactor, type Pod, preparePod } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";

/** A pod cut down to what the math reads. */
export type PodView = KubeObject & Pick<Pod, "spec" | "status">;

const maxShared = 20_000;

/**
 * Trims a pod on arrival, and reads once what each evaluation needs: ten thousand HPAs' worth of pods stay. Pods of
 * one template share what they have in common.
 */
export function createPodProjection(): (raw: KubeObject) => PodView {
  const intern = createInterner(maxShared);
  const compact = createPodCompactor();
  return (raw) => {
    const { metadata, spec, status } = raw as PodView;
    const pod = {
      metadata: projectMetadata(metadata, intern),
      spec: intern.value(projectSpec(spec)),
      status: projectStatus(status),
    };
    return compact(pod) ?? preparePod(pod);
  };
}

/** One literal for what nearly all pods have: an object that grows field by field takes more memory. */
function projectMetadata(metadata: KubeObject["metadata"], intern: Interner): KubeObject["metadata"] {
  const { name, uid, resourceVersion, deletionTimestamp } = metadata;
  const namespace = metadata.namespace === undefined ? undefined : intern.string(metadata.namespace);
  const labels = metadata.labels === undefined ? undefined : intern.value(metadata.labels);
  const isPlain = deletionTimestamp === undefined || deletionTimestamp === null;
  const isNamed = namespace !== undefined && uid !== undefined && resourceVersion !== undefined;
  if (isPlain && isNamed && labels !== undefined) return { name, namespace, uid, resourceVersion, labels };
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(labels === undefined ? {} : { labels }),
    ...(isPlain ? {} : { deletionTimestamp }),
  };
}

function projectStatus(status: PodView["status"]): NonNullable<PodView["status"]> {
  const ready = (status?.conditions ?? []).filter(({ type }) => type === "Ready");
  const conditions = ready.map(({ type, status, lastTransitionTime }) => ({
    type,
    status,
    lastTransitionTime,
  }));
  const phase = status?.phase;
  const startTime = typeof status?.startTime === "string" ? status.startTime : undefined;
  if (phase !== undefined && startTime !== undefined) return { phase, startTime, conditions };
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(startTime === undefined ? {} : { startTime }),
    conditions,
  };
}

function projectSpec(spec: PodView["spec"]): NonNullable<PodView["spec"]> {
  const { containers, initContainers, resources, overhead } = spec ?? {};
  const requests = resources?.requests;
  return {
    containers: (containers ?? []).map(projectContainer),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(projectContainer) }),
    ...(requests === undefined ? {} : { resources: { requests } }),
    ...(overhead === undefined ? {} : { overhead }),
  };
}

function projectContainer({ name, restartPolicy, resources }: Container): Container {
  const requests = resources?.requests;
  return {
    name,
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ...(requests === undefined ? {} : { resources: { requests } }),
  };
}
