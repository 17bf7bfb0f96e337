import { cronHpaKind } from "@plimsoll/core/internal/objects";
import type { ObjectReference } from "@plimsoll/kube";
import { type CronHpa, cronHpaResource } from "./cron-hpa.ts";

/** How events point to the object. */
export function referenceTo({ metadata }: CronHpa): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: `${cronHpaResource.group}/${cronHpaResource.version}`,
    kind: cronHpaKind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
