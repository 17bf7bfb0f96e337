// The metadata of objects that the adapter keeps.
import type { KubeObject, ProtobufKind, ResourceInfo } from "@plimsoll/kube";
import { metadataReader, podReader } from "@plimsoll/kube-protobuf";

/** All that is kept of an object. */
export interface ObservedObject extends KubeObject {
  /** Pods only. */
  readonly phase: string | undefined;
}

/** Cuts an object down on arrival: names and labels select, a pod's phase says whether it runs. */
export function projectObject(raw: KubeObject): ObservedObject {
  const { name, namespace, uid, labels, resourceVersion } = raw.metadata;
  const status: unknown = "status" in raw ? raw.status : undefined;
  const phase: unknown =
    typeof status === "object" && status !== null && "phase" in status ? status.phase : undefined;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(labels === undefined ? {} : { labels }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    phase: typeof phase === "string" ? phase : undefined,
  };
}

/**
 * How objects of a resource are read from protobuf; undefined where their messages may not be those of Kubernetes itself. Servers
 * send custom resources as JSON in any case.
 */
export function observedKind(
  info: Pick<ResourceInfo, "group" | "version" | "resource" | "kind">,
): ProtobufKind | undefined {
  const { group, version, resource, kind } = info;
  if (group.includes(".") && !group.endsWith(".k8s.io")) return undefined;
  if (group === "" && resource === "pods") return podReader;
  return metadataReader(group === "" ? version : `${group}/${version}`, kind);
}
