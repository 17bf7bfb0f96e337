// Reads and writes a CronHorizontalPodAutoscaler in the API.
import { isDeepStrictEqual } from "node:util";
import { type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import { type CronHpa, type CronHpaStatus, cronHpaResource, projectCronHpa } from "./cron-hpa.ts";

/** Reads the object as it is now. Throws ApiError (404 when it is gone) or ConnectionError. */
export async function readCronHpa(client: KubeClient, { metadata }: CronHpa): Promise<CronHpa> {
  const path = resourcePath(cronHpaResource, metadata.namespace, metadata.name);
  return projectCronHpa(await client.request<KubeObject>({ path }));
}

export function isSameStatus(one: CronHpaStatus, other: CronHpaStatus): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

/**
 * Puts the status where the definition keeps it: in the object itself, which has no status subresource, or in that,
 * where a cluster has one. A change since the read is a conflict (409). Throws ApiError or ConnectionError.
 */
export async function writeCronHpaStatus(
  client: KubeClient,
  { metadata }: CronHpa,
  status: CronHpaStatus,
): Promise<CronHpa> {
  const path = resourcePath(cronHpaResource, metadata.namespace, metadata.name);
  const patch = (to: string, resourceVersion: string | undefined) =>
    client.request<KubeObject>({
      method: "PATCH",
      path: to,
      contentType: "application/merge-patch+json",
      body: {
        metadata: { resourceVersion },
        // A merge leaves what it does not name.
        status: { ...status, excludeDates: status.excludeDates ?? null },
      },
    });
  const stored = projectCronHpa(await patch(path, metadata.resourceVersion));
  if (isSameStatus(stored.status, status)) return stored;
  return projectCronHpa(await patch(`${path}/status`, stored.metadata.resourceVersion));
}

/** Absent and empty are the same on the wire. */
function plain({ scaleTargetRef, excludeDates = [], conditions = [] }: CronHpaStatus): unknown {
  return {
    scaleTargetRef,
    excludeDates: [...excludeDates],
    conditions: conditions.map(
      ({ name, jobId, schedule, targetSize, runOnce, state, lastProbeTime, message }) => ({
        name,
        jobId,
        schedule,
        targetSize,
        runOnce,
        state,
        lastProbeTime: Date.parse(lastProbeTime),
        message: message ?? "",
      }),
    ),
  };
}
