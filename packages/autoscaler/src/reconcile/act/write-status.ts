// Writes the status subresource of an evaluated object.
import type { HpaStatus } from "@plimsoll/core";
import {
  ApiError,
  apiErrorText,
  isNotFound,
  type KubeClient,
  type KubeObject,
  replaceStatus,
  retryAfterOf,
} from "@plimsoll/kube";
import { besidesSpec, hpaResource, type ScalingObject } from "../../objects/scaling-object.ts";
import { wlaResource } from "../../objects/workload-autoscaler.ts";
import type { WriteFailed } from "./write-scale.ts";

export type StatusWritten =
  | { readonly result: "written" | "stored-already"; readonly object: ScalingObject }
  | { readonly result: "gone" }
  | WriteFailed;

/** Replaces the status of the object as it was read; one that has changed since is a conflict, hence a failure. */
export async function writeStatus(
  client: KubeClient,
  stored: ScalingObject,
  status: HpaStatus,
): Promise<StatusWritten> {
  try {
    return { result: "written", object: await replace(client, stored, status) };
  } catch (error) {
    if (isNotFound(error)) return { result: "gone" };
    const isUncertain = !(error instanceof ApiError) || error.code >= 500;
    return { result: "failed", message: apiErrorText(error), retryAfterMs: retryAfterOf(error), isUncertain };
  }
}

async function replace(client: KubeClient, stored: ScalingObject, status: HpaStatus): Promise<ScalingObject> {
  if (stored.kind === "HorizontalPodAutoscaler") {
    const { statusWriter: _, status: __, ...object } = stored;
    const written = await replaceStatus<KubeObject>(client, hpaResource, { ...object, status } as KubeObject);
    return { ...object, ...besidesSpec(written) };
  }
  const { statusWriter: _, status: __, wla, ...object } = stored;
  const whole = { ...object, spec: wla.storedSpec, status } as KubeObject;
  const written = await replaceStatus<KubeObject>(client, wlaResource, whole);
  return { ...object, wla, ...besidesSpec(written) };
}
