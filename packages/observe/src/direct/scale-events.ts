// The events of an object, and the rescales among them.
import { instantMs, type RescaleEvent } from "@plimsoll/core";
import { isNotFound, type KubeClient, readList } from "@plimsoll/kube";

/** An event of the API. */
export interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** When it was last seen. */
  readonly atMs: number;
}

/** Whose events. */
export interface EventSubject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

interface WireEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly uid?: string };
  readonly series?: { readonly lastObservedTime?: string } | null;
}

/** Oldest first. Throws ApiError or ConnectionError. */
export async function readEvents(client: KubeClient, subject: EventSubject): Promise<readonly ObjectEvent[]> {
  const { kind, namespace, name, uid } = subject;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const events = await listEvents(client, path, fieldSelector);
  return events
    .filter(({ involvedObject }) => (involvedObject?.uid ?? uid) === uid)
    .flatMap(eventOf)
    .sort((a, b) => a.atMs - b.atMs);
}

/** Replicas that the controller wrote. */
export function rescalesAmong(events: readonly ObjectEvent[]): readonly RescaleEvent[] {
  return events
    .filter(({ reason }) => reason === "SuccessfulRescale")
    .map(({ message, atMs }) => ({ message, atMs }));
}

async function listEvents(client: KubeClient, path: string, fieldSelector: string) {
  try {
    return await readList<WireEvent>(client, path, { fieldSelector });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function eventOf(event: WireEvent): readonly ObjectEvent[] {
  const at = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
  const atMs = at === undefined || at === null ? undefined : instantMs(at);
  const { type = "", reason = "", message = "" } = event;
  return atMs === undefined ? [] : [{ type, reason, message, atMs }];
}
