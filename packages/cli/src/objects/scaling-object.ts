// Objects that scale a target, as the API server has them.
import { isFields } from "@plimsoll/core/internal/values";
import type { DeletedRow, SummaryRow } from "@plimsoll/decisions";
import type { ResourceInfo } from "@plimsoll/kube";
import type { ServedObject } from "@plimsoll/observe";

/** An object that scales a target, as commands name it. */
export type ObjectIdentity = DeletedRow & Pick<SummaryRow, "target">;

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

/** Drops list members that aren't objects: the definition of a WorkloadAutoscaler may have been damaged. */
export function scalingObject(served: ServedObject, { resource, kind }: ScalingResource): ScalingObject {
  const object = {
    ...served,
    spec: withWholeLists(served.spec, ["metrics", "schedules"]),
    ...(isFields(served.status)
      ? { status: withWholeLists(served.status, ["conditions", "currentMetrics"]) }
      : { status: undefined }),
  } as ServedObject;
  const { namespace = "", name, uid = "" } = object.metadata;
  const target = object.spec.scaleTargetRef;
  return {
    identity: { resource, namespace, name, uid, target: { kind: target.kind, name: target.name } },
    kind,
    object,
  };
}

function withWholeLists<T extends object>(fields: T, names: readonly string[]): T {
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => {
    if (!names.includes(name) || value === null) return [name, value];
    return [name, Array.isArray(value) ? value.filter(isFields) : undefined];
  });
  return Object.fromEntries(entries) as T;
}

/** "hpa/shop", as it can be typed. */
export function typedName({ kind, identity }: Pick<ScalingObject, "kind" | "identity">): string {
  return `${kind === "HorizontalPodAutoscaler" ? "hpa" : "wla"}/${identity.name}`;
}

const groupNames = {
  horizontalpodautoscalers: "horizontalpodautoscaler.autoscaling",
  workloadautoscalers: "workloadautoscaler.autoscaling.plimsoll.dev",
};

/** As `kubectl get -o name` writes it. */
export function outputName({ resource, name }: Pick<ObjectIdentity, "resource" | "name">): string {
  return `${groupNames[resource]}/${name}`;
}
