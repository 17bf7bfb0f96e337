// Reads one object that scales a target.

import { isNotFound, type KubeClient, resourcePath } from "@plimsoll/kube";
import type { ServedObject } from "@plimsoll/observe";
import { type ScalingObject, type ScalingResource, scalingObject } from "./scaling-object.ts";

/** Undefined: it is not there, or the kind is not served. Throws ApiError or ConnectionError. */
export async function getObject(
  client: KubeClient,
  resource: ScalingResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<ScalingObject | undefined> {
  try {
    const path = resourcePath(resource, namespace, encodeURIComponent(name));
    return scalingObject(await client.request<ServedObject>({ path }), resource);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
