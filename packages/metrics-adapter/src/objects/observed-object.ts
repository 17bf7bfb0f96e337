// The metadata of objects that the adapter keeps.
import type { KubeObject } from "@plimsoll/kube";

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
