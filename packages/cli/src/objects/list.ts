// Lists HorizontalPodAutoscalers and WorkloadAutoscalers.

import { compareText } from "@plimsoll/core/internal/values";
import { ApiError, isNotFound, type KubeClient, readList, resourcePath } from "@plimsoll/kube";
import type { ServedObject } from "@plimsoll/observe";
import { hpas, type ScalingObject, type ScalingResource, scalingObject, wlas } from "./scaling-object.ts";

/** Which objects. */
export interface ListQuery {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly selector?: string | undefined;
  /** Called where only WorkloadAutoscalers may not be listed, of which there are none then; absent: that is an error. */
  readonly onRefused?: (error: ApiError) => void;
}

/** All of a kind; none where the kind is not served. Throws ApiError or ConnectionError. */
export async function listOf(
  client: KubeClient,
  resource: ScalingResource,
  query: ListQuery,
): Promise<readonly ScalingObject[]> {
  try {
    const items = await readList<ServedObject>(client, resourcePath(resource, query.namespace), {
      labelSelector: query.selector,
    });
    return items.filter(isWhole).map((object) => scalingObject(object, resource));
  } catch (error) {
    if (resource === wlas && isNotFound(error)) return [];
    // The API server asks for the right first, also where the kind is not served.
    if (
      resource === wlas &&
      query.onRefused !== undefined &&
      error instanceof ApiError &&
      error.code === 403
    ) {
      query.onRefused(error);
      return [];
    }
    throw error;
  }
}

/** Both kinds, by namespace and name. Throws ApiError or ConnectionError. */
export async function listObjects(client: KubeClient, query: ListQuery): Promise<readonly ScalingObject[]> {
  const lists = await Promise.all([hpas, wlas].map((resource) => listOf(client, resource, query)));
  return lists.flat().sort(byName);
}

/** A WorkloadAutoscaler of a damaged definition may lack anything. */
function isWhole(object: ServedObject): boolean {
  return typeof object.spec?.scaleTargetRef === "object" && object.spec.scaleTargetRef !== null;
}

function byName({ identity: a }: ScalingObject, { identity: b }: ScalingObject): number {
  return (
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.resource, b.resource)
  );
}
