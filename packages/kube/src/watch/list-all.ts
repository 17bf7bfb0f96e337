// Lists a resource page by page.
import { readPage as readProtobufPage } from "@plimsoll/kube-protobuf";
import { ConnectionError } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import type { KubeObject } from "../objects/object.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";

/** What is listed, and what is kept of it. */
export interface ListOptions<T> {
  readonly client: KubeClient;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly pageSize: number;
  /** See `ReflectorOptions`. */
  readonly protobuf?: ProtobufKind | undefined;
  /** What is kept of an object; undefined leaves it out. */
  readonly keep: (raw: KubeObject) => T | undefined;
  readonly signal: AbortSignal;
}

/** A whole collection. */
export interface Listed<T> {
  readonly objects: readonly T[];
  /** The version to watch from. */
  readonly resourceVersion: string;
}

interface WireList {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

/**
 * The whole collection, page by page, each page trimmed as it arrives. It is the most recent state and not what a
 * server's cache may hold: no resourceVersion is sent. Throws ApiError, also 410 when a page came too late, and
 * ConnectionError.
 */
export async function listAll<T>(options: ListOptions<T>): Promise<Listed<T>> {
  const { pageSize: limit, keep } = options;
  const objects: T[] = [];
  let resourceVersion: string | undefined;
  let token: string | undefined;
  do {
    const page = await readPage(options, { limit, continue: token });
    // Pages are one snapshot. Where a server breaks that, the oldest version repeats changes instead of losing some.
    resourceVersion ??= page.resourceVersion;
    const type = itemType(page);
    for (const item of page.items ?? []) {
      const kept = keep({ ...type, ...item });
      if (kept !== undefined) objects.push(kept);
    }
    token = page.metadata?.continue;
  } while (token !== undefined && token !== "");
  return { objects, resourceVersion };
}

/** The most recent version of a collection. Throws ApiError and ConnectionError. */
export async function readVersion(options: PageOptions): Promise<string> {
  return (await readPage(options, { limit: 1 })).resourceVersion;
}

type PageOptions = Pick<ListOptions<unknown>, "client" | "path" | "query" | "signal" | "protobuf">;

async function readPage(
  { client, path, query, signal, protobuf }: PageOptions,
  part: { readonly limit: number; readonly continue?: string | undefined },
): Promise<WireList & { readonly resourceVersion: string }> {
  const page = await client.request<WireList | null>({
    path,
    query: { ...query, ...part },
    signal,
    ...(protobuf === undefined ? {} : { readProtobuf: (bytes: Buffer) => readProtobufPage(bytes, protobuf) }),
  });
  const resourceVersion = typeof page === "object" ? page?.metadata?.resourceVersion : undefined;
  if (page === null || typeof resourceVersion !== "string")
    throw new ConnectionError("bad_response", `${path} did not return a list`);
  return { ...page, resourceVersion };
}

/** Items of a list do not say what they are, the list does. */
function itemType(page: WireList): { apiVersion?: string; kind?: string } {
  const { apiVersion, kind } = page;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind?.endsWith("List") === true ? { kind: kind.slice(0, -"List".length) } : {}),
  };
}
