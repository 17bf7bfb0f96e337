// The object reference of Events about a scaled object.
import type { ObjectReference } from "@plimsoll/kube";
import { namespaceOf, type ScalingObject } from "./scaling-object.ts";

/** How events point to the object. */
export function referenceTo(object: ScalingObject): ObjectReference {
  const { uid, resourceVersion, name } = object.metadata;
  return {
    ...(object.apiVersion === undefined ? {} : { apiVersion: object.apiVersion }),
    kind: object.kind,
    namespace: namespaceOf(object),
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
