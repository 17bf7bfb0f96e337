// Objects that scale a target, as the API server has them.
import type { ResourceInfo } from "@plimsoll/kube";
import type { ObjectIdentity, ServedObject } from "../decisions/source.ts";

/** A HorizontalPodAutoscaler or a WorkloadAutoscaler. */
export interface ScalingObject {
  readonly identity: ObjectIdentity;
  readonly kind: "HorizontalPodAutoscaler" | "WorkloadAutoscaler";
  /** As served; a WorkloadAutoscaler has more than these fields. */
  readonly object: ServedObject;
}

export type ScalingResource = Pick<ResourceInfo, "group" | "version" | "resource"> & {
  readonly resource: ObjectIdentity["resource"];
  readonly kind: ScalingObject["kind"];
};

export const hpas: ScalingResource = {
  group: "autoscaling",
  version: "v2",
  resource: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
};
export const wlas: ScalingResource = {
  group: "autoscaling.plimsoll.dev",
  version: "v1alpha1",
  resource: "workloadautoscalers",
  kind: "WorkloadAutoscaler",
};

export function scalingObject(object: ServedObject, { resource, kind }: ScalingResource): ScalingObject {
  const { namespace = "", name, uid = "" } = object.metadata;
  const target = object.spec.scaleTargetRef;
  return {
    identity: { resource, namespace, name, uid, target: { kind: target.kind, name: target.name } },
    kind,
    object,
  };
}

/** "hpa/shop", as it can be typed. */
export function typedName({ kind, identity }: Pick<ScalingObject, "kind" | "identity">): string {
  return `${kind === "HorizontalPodAutoscaler" ? "hpa" : "wla"}/${identity.name}`;
}
