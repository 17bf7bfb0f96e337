// The decisions endpoint of an autoscaler, by whichever way it was reached.
import { type DecisionRecord, decodeRecord } from "@plimsoll/core";
import type { ObjectIdentity, SummaryRow } from "../decisions/source.ts";
import { serverSentEvents } from "./events.ts";
import type { Way, WayName } from "./way.ts";
import {
  fieldsOf,
  itemsOf,
  type LoggedDecision,
  loggedFrom,
  resourceOf,
  rowFrom,
  type ShadowItem,
  shadowItemFrom,
} from "./wire.ts";

/** All of it throws ApiError or ConnectionError. */
export interface Endpoint {
  readonly way: WayName;
  /** All pages of the summary, or the first rows of it. */
  rows(query: RowsQuery): Promise<readonly SummaryRow[]>;
  /** The newest ones, or those before an instant; oldest first. */
  decisions(object: ObjectIdentity, query: DecisionsQuery): Promise<readonly LoggedDecision[]>;
  /** The newest record before an instant. */
  record(object: ObjectIdentity, beforeMs: number): Promise<DecisionRecord>;
  shadow(): Promise<readonly ShadowItem[]>;
  /** Changes of rows from now on; it begins with a reset. */
  changes(query: ChangesQuery): AsyncIterable<RowChange>;
  readonly relay: Relay;
}

/** The documents as the autoscaler sends them, for a page that reads them as they are. */
export interface Relay {
  summary(query: RelayQuery): Promise<unknown>;
  decisions(object: RelayedObject, query: RelayQuery): Promise<unknown>;
  record(object: RelayedObject, query: RelayQuery): Promise<unknown>;
  shadow(): Promise<unknown>;
  /** Server-sent events, as bytes. */
  stream(request: RelayedStream): Promise<AsyncIterable<Uint8Array>>;
}

export type RelayedObject = Pick<ObjectIdentity, "resource" | "namespace" | "name">;
export type RelayQuery = Readonly<Record<string, string>>;

export interface RelayedStream {
  readonly query: RelayQuery;
  /** Where it begins; undefined: with what is new. */
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}

export interface RowsQuery {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly isProblem?: boolean | undefined;
  readonly limit?: number | undefined;
}

export interface DecisionsQuery {
  readonly limit: number;
  readonly beforeMs?: number | undefined;
}

export interface ChangesQuery {
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** "reset": what changed is not known; the rows have to be read again. */
export type RowChange =
  | { readonly kind: "rows"; readonly rows: readonly SummaryRow[] }
  | { readonly kind: "deleted"; readonly objects: readonly DeletedObject[] }
  | { readonly kind: "reset" };

export type DeletedObject = Pick<ObjectIdentity, "resource" | "namespace" | "name">;

const pageSize = 500;

export function endpointOf({ name, client, base, shadowPath }: Way): Endpoint {
  const pathOf = (namespace: string | undefined, leaf: string): string =>
    namespace === undefined ? `${base}/${leaf}` : `${base}/namespaces/${segment(namespace)}/${leaf}`;
  const objectPath = ({ namespace, resource, name: object }: ObjectIdentity): string =>
    pathOf(namespace, `${resource}/${segment(object)}`);
  return {
    way: name,
    async rows({ namespace, isProblem = false, limit = Number.POSITIVE_INFINITY }) {
      const rows: SummaryRow[] = [];
      let next: string | undefined;
      do {
        const page = await client.request({
          path: pathOf(namespace, "summary"),
          query: {
            limit: Math.min(pageSize, limit - rows.length),
            ...(isProblem ? { problem: true } : {}),
            continue: next,
          },
        });
        const found = itemsOf(page).map(rowFrom);
        rows.push(...found.filter((row) => row !== undefined));
        const token = fieldsOf(page)["continue"];
        next = typeof token === "string" && token !== "" && found.length > 0 ? token : undefined;
      } while (next !== undefined && rows.length < limit);
      return rows;
    },
    async decisions(object, { limit, beforeMs }) {
      const page = await client.request({
        path: objectPath(object),
        query: { limit, before: beforeMs === undefined ? undefined : new Date(beforeMs).toISOString() },
      });
      return itemsOf(page)
        .map(loggedFrom)
        .filter((logged) => logged !== undefined);
    },
    async record(object, beforeMs) {
      const record = await client.request({
        path: `${objectPath(object)}/record`,
        query: { before: new Date(beforeMs).toISOString() },
      });
      return decodeRecord(JSON.stringify(record));
    },
    async shadow() {
      return itemsOf(await client.request({ path: shadowPath })).map(shadowItemFrom);
    },
    async *changes({ namespace, signal }) {
      const stream = await client.stream({
        path: pathOf(namespace, "stream"),
        accept: "text/event-stream",
        signal,
      });
      for await (const { event, data } of serverSentEvents(stream)) {
        const change = changeOf(event, data);
        if (change !== undefined) yield change;
      }
    },
    relay: relayOf({ client, base, shadowPath }),
  };
}

function relayOf({ client, base, shadowPath }: Pick<Way, "client" | "base" | "shadowPath">): Relay {
  const objectPath = ({ namespace, resource, name }: RelayedObject): string =>
    `${base}/namespaces/${segment(namespace)}/${resource}/${segment(name)}`;
  return {
    summary: (query) => client.request({ path: `${base}/summary`, query }),
    decisions: (object, query) => client.request({ path: objectPath(object), query }),
    record: (object, query) => client.request({ path: `${objectPath(object)}/record`, query }),
    shadow: () => client.request({ path: shadowPath }),
    stream: ({ query, lastEventId, signal }) =>
      client.stream({
        path: `${base}/stream`,
        query,
        accept: "text/event-stream",
        headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
        signal,
      }),
  };
}

function segment(name: string): string {
  return encodeURIComponent(name);
}

/** Events that are not known here are left out: later versions may have more. */
function changeOf(event: string, data: string): RowChange | undefined {
  switch (event) {
    case "reset":
      return { kind: "reset" };
    case "rows":
      return { kind: "rows", rows: listFrom(data, rowFrom) };
    case "deleted":
      return { kind: "deleted", objects: listFrom(data, deletedFrom) };
    default:
      return undefined;
  }
}

function listFrom<T>(data: string, read: (value: unknown) => T | undefined): readonly T[] {
  let list: unknown;
  try {
    list = JSON.parse(data);
  } catch {
    return [];
  }
  return (Array.isArray(list) ? list : []).map(read).filter((item) => item !== undefined);
}

function deletedFrom(value: unknown): DeletedObject | undefined {
  const { resource: named, namespace, name } = fieldsOf(value);
  const resource = resourceOf(named);
  if (resource === undefined || typeof namespace !== "string" || typeof name !== "string") return undefined;
  return { resource, namespace, name };
}
