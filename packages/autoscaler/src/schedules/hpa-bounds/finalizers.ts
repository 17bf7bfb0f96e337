// Adds and removes the finalizer of WorkloadAutoscalers that move bounds.
import { boundsAnnotation } from "@plimsoll/core/internal/objects";
import { isConflict, isNotFound, type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import { referenceTo } from "../../objects/reference.ts";
import { type ScalingObject, splitKey } from "../../objects/scaling-object.ts";
import { projectWla, wlaResource } from "../../objects/workload-autoscaler.ts";
import { finalizersOf } from "./bounds-index.ts";
import type { BoundsRun } from "./context.ts";
import { boundsFailureText } from "./permissions.ts";

type FinalizerDeps = Pick<BoundsRun, "client" | "events" | "index" | "log" | "mayWrite">;

const maxTries = 3;

/** Sets our finalizer, or removes it. Returns why it could not be written. */
export async function putFinalizer(
  wla: ScalingObject,
  isWanted: boolean,
  { client, index, log, mayWrite }: FinalizerDeps,
): Promise<string | undefined> {
  if (!mayWrite()) return "another process holds it";
  try {
    const stored = await writeFinalizer(client, wla, isWanted);
    if (stored !== undefined) index.put(stored);
    return stored !== undefined || !isWanted ? undefined : "the WorkloadAutoscaler is gone";
  } catch (error) {
    const text = boundsFailureText(error);
    log.warn({ wla: wla.metadata.name, error: text }, "could not write the finalizer; retrying");
    return text;
  }
}

/** Removes the finalizer from every object of the run's namespace that moves no bounds any more. */
export async function removeFinalizers(run: FinalizerDeps & Pick<BoundsRun, "key">): Promise<boolean> {
  let isDone = true;
  for (const wla of run.index.removable(splitKey(run.key).namespace)) {
    if (!run.mayWrite()) return false;
    const failure = await putFinalizer(wla, false, run);
    if (failure === undefined) continue;
    isDone = false;
    reportWaiting(wla, failure, run);
  }
  return isDone;
}

/** Reports why an object that was deleted is still there. */
export function reportWaiting(
  wla: ScalingObject,
  message: string,
  { events }: Pick<FinalizerDeps, "events">,
): void {
  if (wla.metadata.deletionTimestamp === undefined) return;
  events.record(referenceTo(wla), { type: "Warning", reason: "DeletionWaits", message });
}

/** On the object as it is now. Undefined when that is gone. Throws ApiError or ConnectionError. */
async function writeFinalizer(
  client: KubeClient,
  object: ScalingObject,
  isWanted: boolean,
): Promise<ScalingObject | undefined> {
  const path = resourcePath(wlaResource, object.metadata.namespace, object.metadata.name);
  let current = object;
  for (let attempt = 1; ; attempt++) {
    const finalizers = finalizersOf(current);
    const others = finalizers.filter((name) => name !== boundsAnnotation);
    if (finalizers.length > others.length === isWanted) return current;
    const { resourceVersion, uid } = current.metadata;
    const metadata = {
      resourceVersion,
      uid,
      finalizers: isWanted ? [...others, boundsAnnotation] : others,
    };
    try {
      return projectWla(
        await client.request<KubeObject>({
          method: "PATCH",
          path,
          contentType: "application/merge-patch+json",
          body: { metadata },
        }),
        { known: current },
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || attempt === maxTries) throw error;
    }
    try {
      current = projectWla(await client.request<KubeObject>({ path }), { known: current });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
