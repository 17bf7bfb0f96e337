// The rescales of an object, from its events.
import { instantMs, type RescaleEvent } from "@plimsoll/core";
import { isNotFound, type KubeClient } from "@plimsoll/kube";
import { listAll } from "./list-all.ts";

interface WireEvent {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly uid?: string };
  readonly series?: { readonly lastObservedTime?: string } | null;
}

/** Of an HPA, oldest first. Throws ApiError or ConnectionError. */
export async function readRescaleEvents(
  client: KubeClient,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<readonly RescaleEvent[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const fieldSelector = `involvedObject.kind=HorizontalPodAutoscaler,involvedObject.name=${name}`;
  const events = await readEvents(client, path, fieldSelector);
  return events
    .filter(({ involvedObject }) => (involvedObject?.uid ?? uid) === uid)
    .flatMap(rescaleOf)
    .sort((a, b) => a.atMs - b.atMs);
}

async function readEvents(client: KubeClient, path: string, fieldSelector: string) {
  try {
    return await listAll<WireEvent>(client, path, { fieldSelector });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function rescaleOf(event: WireEvent): readonly RescaleEvent[] {
  if (event.reason !== "SuccessfulRescale") return [];
  const at = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
  const atMs = at === undefined || at === null ? undefined : instantMs(at);
  return atMs === undefined ? [] : [{ message: event.message ?? "", atMs }];
}
