// The decisions endpoint of an autoscaler, by whichever way it was reached.
import { type DecisionRecord, decodeRecord } from "@plimsoll/core";
import { fieldsOf } from "@plimsoll/core/internal/values";
import {
  createEventParser,
  type DecisionReader,
  type DecisionsQuery,
  type DeletedRow,
  deletedFrom,
  itemsOf,
  type LoggedDecision,
  loggedFrom,
  type ObjectKey,
  rowFrom,
  type ShadowItem,
  type StreamQuery,
  type SummaryQuery,
  type SummaryRow,
  shadowItemFrom,
} from "@plimsoll/decisions";
import type { Way, WayName } from "./way.ts";

/** All of it throws ApiError or ConnectionError. */
export interface Endpoint {
  readonly way: WayName;
  /** All pages of the summary, or the first rows of it. */
  rows(query: Pick<SummaryQuery, "namespace" | "limit">): Promise<readonly SummaryRow[]>;
  /** The newest ones, or those before an instant; oldest first. */
  decisions(object: ObjectKey, query: DecisionsQuery): Promise<readonly LoggedDecision[]>;
  /** The newest record before an instant. */
  record(object: ObjectKey, query: Pick<DecisionsQuery, "before">): Promise<DecisionRecord>;
  shadow(): Promise<readonly ShadowItem[]>;
  /** Changes of rows from now on; it begins with a reset. */
  changes(query: StreamQuery): AsyncIterable<RowChange>;
  /** The documents as the autoscaler sends them, for a page that reads them as they are. */
  readonly reader: Required<DecisionReader>;
}

/** "reset": what changed is unknown; the rows have to be read again. */
export type RowChange =
  | { readonly kind: "rows"; readonly rows: readonly SummaryRow[] }
  | { readonly kind: "deleted"; readonly objects: readonly DeletedRow[] }
  | { readonly kind: "reset" };

const pageSize = 500;

export function endpointOf(way: Way): Endpoint {
  const reader = readerOf(way);
  return {
    way: way.name,
    async rows({ namespace, limit = Number.POSITIVE_INFINITY }) {
      const rows: SummaryRow[] = [];
      let next: string | undefined;
      do {
        const page: unknown = await reader.rows({
          namespace,
          limit: Math.min(pageSize, limit - rows.length),
          continue: next,
        });
        const found = itemsOf(page).map(rowFrom);
        rows.push(...found.filter((row) => row !== undefined));
        const token = fieldsOf(page)["continue"];
        next = typeof token === "string" && token !== "" && found.length > 0 ? token : undefined;
      } while (next !== undefined && rows.length < limit);
      return rows;
    },
    decisions: async (object, query) =>
      itemsOf(await reader.decisions(object, query))
        .map(loggedFrom)
        .filter((logged) => logged !== undefined),
    record: async (object, query) => decodeRecord(await reader.record(object, query)),
    shadow: async () => itemsOf(await reader.shadow()).map(shadowItemFrom),
    async *changes(query) {
      const parse = createEventParser();
      const decoder = new TextDecoder();
      for await (const bytes of await reader.subscribe(query))
        for (const { event, data } of parse(
          typeof bytes === "string" ? bytes : decoder.decode(bytes, { stream: true }),
        )) {
          const change = changeOf(event, data);
          if (change !== undefined) yield change;
        }
    },
    reader,
  };
}

function readerOf({ client, base, shadowPath }: Way): Required<DecisionReader> {
  const rowsPath = (namespace: string | undefined, leaf: string): string =>
    namespace === undefined ? `${base}/${leaf}` : `${base}/namespaces/${segment(namespace)}/${leaf}`;
  const objectPath = ({ namespace, resource, name }: ObjectKey): string =>
    `${base}/namespaces/${segment(namespace)}/${resource}/${segment(name)}`;
  return {
    rows: ({ namespace, ...query }) =>
      client.request({
        path: rowsPath(namespace, "summary"),
        query: { ...query, problem: query.problem === true ? true : undefined },
      }),
    decisions: (object, query) => client.request({ path: objectPath(object), query: { ...query } }),
    record: async (object, query) =>
      JSON.stringify(await client.request({ path: `${objectPath(object)}/record`, query: { ...query } })),
    shadow: () => client.request({ path: shadowPath }),
    subscribe: ({ namespace, lastEventId, signal }) =>
      client.stream({
        path: rowsPath(namespace, "stream"),
        accept: "text/event-stream",
        headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
        signal,
      }),
  };
}

function segment(name: string): string {
  return encodeURIComponent(name);
}

/** Events that are unknown here are left out: later versions may have more. */
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
