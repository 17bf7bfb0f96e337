// Creates or patches one Event object.
import { isAlreadyExists, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import type { KubeObject, ObjectReference } from "../objects/object.ts";
import { resourcePath } from "../objects/resource.ts";
import type { RecordedEvent } from "./correlate.ts";

/** An Event object and how often what it reports has happened. */
export interface EventEntry extends Omit<RecordedEvent, "message"> {
  readonly regarding: ObjectReference;
  readonly component: string;
  readonly namespace: string;
  readonly name: string;
  readonly firstAtMs: number;
  message: string;
  lastAtMs: number;
  count: number;
  /** How many of these are written, or given up. */
  accounted: number;
  /** Whether the server has it. */
  isStored: boolean;
}

const events = { group: "", version: "v1", resource: "events" };
const timeoutMs = 10_000;

/** Creates the Event, or brings the one that is there up to date. Throws ApiError or ConnectionError. */
export async function writeEvent(client: KubeClient, entry: EventEntry): Promise<void> {
  if (entry.isStored) {
    try {
      await update(client, entry);
      return;
    } catch (error) {
      // Events are kept for an hour.
      if (!isNotFound(error)) throw error;
      entry.isStored = false;
    }
  }
  await create(client, entry);
}

/** No other Event has this name: one that exists is an earlier attempt, whose response was lost. */
async function create(client: KubeClient, entry: EventEntry): Promise<void> {
  try {
    await client.request<KubeObject>({
      method: "POST",
      path: resourcePath(events, entry.namespace),
      body: eventObject(entry),
      timeoutMs,
    });
    entry.isStored = true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    entry.isStored = true;
    await update(client, entry);
  }
}

async function update(client: KubeClient, entry: EventEntry): Promise<void> {
  await client.request<KubeObject>({
    method: "PATCH",
    path: resourcePath(events, entry.namespace, entry.name),
    contentType: "application/merge-patch+json",
    body: { message: entry.message, count: entry.count, lastTimestamp: toTimestamp(entry.lastAtMs) },
    timeoutMs,
  });
}

function eventObject(entry: EventEntry): KubeObject & Record<string, unknown> {
  const { name, namespace, component, type, reason, message, count } = entry;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: entry.regarding,
    type,
    reason,
    message,
    count,
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
    firstTimestamp: toTimestamp(entry.firstAtMs),
    lastTimestamp: toTimestamp(entry.lastAtMs),
  };
}

/** The wire's instants of Events have no fraction. */
function toTimestamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
