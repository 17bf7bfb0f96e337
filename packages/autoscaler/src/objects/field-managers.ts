// The field managers under which this program writes, as the API server records them.
import { scheduleManager } from "@plimsoll/core/internal/objects";
import type { KubeClient } from "@plimsoll/kube";

/** Evaluations. */
export const fieldManager = "plimsoll-autoscaler";
/** Jobs of CronHorizontalPodAutoscalers. */
export const cronHpaManager = "plimsoll-cronhpa";

/**
 * Whether a writer is another part of this program that an operator enabled, and no foreign writer. `fieldManager`
 * itself is none: evaluations never overwrite each other, so that one is another installation.
 */
export function isSibling(manager: string): boolean {
  return manager === cronHpaManager || manager === scheduleManager;
}

/** The same client, whose writes carry a field manager unless the request names one. */
export function asFieldManager(client: KubeClient, manager = fieldManager): KubeClient {
  return {
    ...client,
    request: (request) =>
      client.request(
        request.method === undefined || request.method === "GET" || request.method === "DELETE"
          ? request
          : { ...request, query: { fieldManager: manager, ...request.query } },
      ),
  };
}
