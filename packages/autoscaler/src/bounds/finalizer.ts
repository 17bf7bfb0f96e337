import { isConflict, isNotFound, type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import { projectWla, wlaResource } from "../wla/workload-autoscaler.ts";
import { boundsFinalizer, finalizersOf } from "./bounds-wla.ts";

const tries = 3;

/**
 * Sets the finalizer or takes it away, on the object as it is now. Gives the object, or undefined when it is gone.
 * Throws ApiError or ConnectionError.
 */
export async function setFinalizer(
  client: KubeClient,
  object: NativeHpa,
  isWanted: boolean,
): Promise<NativeHpa | undefined> {
  const path = resourcePath(wlaResource, object.metadata.namespace, object.metadata.name);
  let current = object;
  for (let attempt = 1; ; attempt++) {
    const finalizers = finalizersOf(current);
    const others = finalizers.filter((name) => name !== boundsFinalizer);
    if (finalizers.length > others.length === isWanted) return current;
    try {
      const body = {
        metadata: {
          resourceVersion: current.metadata.resourceVersion,
          uid: current.metadata.uid,
          finalizers: isWanted ? [...others, boundsFinalizer] : others,
        },
      };
      return projectWla(
        await client.request<KubeObject>({
          method: "PATCH",
          path,
          contentType: "application/merge-patch+json",
          body,
        }),
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || attempt === tries) throw error;
    }
    try {
      current = projectWla(await client.request<KubeObject>({ path }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
