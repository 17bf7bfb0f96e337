import type { HpaStatus } from "@plimsoll/core";
import { ApiError, isNotFound, type KubeClient, type KubeObject, replaceStatus } from "@plimsoll/kube";
import { apiErrorText, retryAfterOf } from "../../errors.ts";
import { projectWla, wlaResource } from "../../wla/workload-autoscaler.ts";
import { hpaResource, type NativeHpa, projectHpa } from "../native-hpa.ts";

export type StatusWritten =
  | { readonly result: "written"; readonly hpa: NativeHpa }
  | { readonly result: "gone" }
  | {
      readonly result: "failed";
      readonly message: string;
      readonly retryAfterMs: number | undefined;
      /** The server may have carried it out all the same. */
      readonly isUncertain: boolean;
    };

/** Replaces the status of the HPA as it was read; one that has changed since is a conflict, hence a failure. */
export async function writeStatus(
  client: KubeClient,
  hpa: NativeHpa,
  status: HpaStatus,
): Promise<StatusWritten> {
  try {
    const { statusWriter: _, wla, ...object } = hpa;
    if (wla === undefined) {
      const stored = await replaceStatus<KubeObject>(client, hpaResource, {
        ...object,
        status,
      } as KubeObject);
      return { result: "written", hpa: projectHpa(stored) };
    }
    const whole = { ...object, spec: wla.storedSpec, status } as KubeObject;
    return {
      result: "written",
      hpa: projectWla(await replaceStatus<KubeObject>(client, wlaResource, whole)),
    };
  } catch (error) {
    if (isNotFound(error)) return { result: "gone" };
    const isUncertain = !(error instanceof ApiError) || error.code >= 500;
    return { result: "failed", message: apiErrorText(error), retryAfterMs: retryAfterOf(error), isUncertain };
  }
}
