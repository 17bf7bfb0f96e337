// Lists a resource page by page, each object trimmed as it arrives.
import { ConnectionError } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { itemTypeOf } from "../client/http/list-body.ts";
import type { ItemSink, ItemType, UnreadItem } from "../client/list-items.ts";
import type { PageSize } from "./page-size.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";

/** What is read. */
interface PageSource {
  readonly client: Pick<KubeClient, "request">;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** See `ReflectorOptions`. */
  readonly protobuf?: ProtobufKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is listed, and what becomes of each object. `K`: what is kept of one. */
export interface ListOptions<K> extends PageSource {
  readonly pages: PageSize;
  /** An object of more bytes is not kept, not even while it is read. */
  readonly maxItemBytes: number;
  /** What is kept of an object; called once more when a page is read again. The bytes are 0 when they are unknown. */
  readonly keep: (item: object, bytes: number, type: ItemType) => K;
  readonly keepUnread: (item: UnreadItem) => K;
  /** Takes what was kept, once for each object of the list. */
  readonly add: (kept: K) => void;
}

interface WireList {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly object[] | null;
}

/**
 * Reads the whole collection, and returns the version to watch from. A page with too many bytes is read again in smaller ones. It is
 * the most recent state and not what a server's cache may hold: no resourceVersion is sent. Throws ApiError, also 410 when a page came
 * too late, and ConnectionError.
 */
export async function listAll<K>(options: ListOptions<K>): Promise<string> {
  const version = await readPages(options);
  if (version === undefined) throw noList(options);
  return version;
}

/** Reads the whole collection; the version is that of its first page, if it has one. Throws as listAll does. */
export async function readPages<K>(options: ListOptions<K>): Promise<string | undefined> {
  let version: string | undefined;
  let token: string | undefined;
  do {
    const metadata = await readPage(options, token);
    // Pages are one snapshot. Where a server breaks that, the oldest version repeats changes instead of losing some.
    version ??= metadata.resourceVersion;
    token = metadata.continue || undefined;
  } while (token !== undefined);
  options.pages.ended();
  return version;
}

/** The most recent version of a collection. Throws ApiError and ConnectionError. */
export async function readVersion(source: PageSource): Promise<string> {
  const sink: ItemSink = { onBytes: () => undefined, onItem: () => undefined, onUnread: () => undefined };
  const list = await requestPage(source, { limit: 1 }, { maxItemBytes: 0, wholeBytes: 0, begin: () => sink });
  const { resourceVersion } = metadataOf(list, source);
  if (resourceVersion === undefined) throw noList(source);
  return resourceVersion;
}

/** One page, of fewer objects when more would have too many bytes. */
async function readPage<K>(
  options: ListOptions<K>,
  token: string | undefined,
): Promise<NonNullable<WireList["metadata"]>> {
  const { pages, keep, maxItemBytes } = options;
  // No object of it is too large, and whether the page is too large is known early.
  const wholeBytes = Math.min(maxItemBytes, pages.maxBytes / 4);
  for (;;) {
    const { limit } = pages;
    let page = openPage(options, limit);
    const begin = () => {
      page = openPage(options, limit);
      return page.sink;
    };
    try {
      const list = await requestPage(
        options,
        { limit, continue: token },
        { maxItemBytes, wholeBytes, begin },
      );
      const metadata = metadataOf(list, options);
      const type = itemTypeOf(list);
      for (const item of list?.items ?? []) page.take(keep(item, 0, type));
      page.end();
      pages.passed(page);
      return metadata;
    } catch (error) {
      if (error instanceof PageTooLarge) pages.tooLarge(page.objects);
      else {
        if (error instanceof ConnectionError && error.kind === "timeout") pages.timedOut();
        throw error;
      }
    }
  }
}

class PageTooLarge extends ConnectionError {}

/** The objects of one page. They only count when it is complete, unless the server sends more of them than it should. */
function openPage<K>({ add, keep, keepUnread, pages, path }: ListOptions<K>, limit: number) {
  const kept: K[] = [];
  let bytes = 0;
  let objects = 0;

  /** A server that ignores the limit sends all in one page, whatever the limit is: nothing is gained by smaller ones. */
  const isUnlimited = () => objects > limit;

  function flush(): void {
    for (const one of kept) add(one);
    kept.length = 0;
  }

  function take(one: K): void {
    objects += 1;
    kept.push(one);
    if (isUnlimited()) flush();
  }

  const sink: ItemSink = {
    onBytes(sum) {
      bytes = sum;
      if (bytes > pages.maxBytes && limit > 1 && !isUnlimited())
        throw new PageTooLarge(
          "too_large",
          `a page of ${path} is longer than ${String(pages.maxBytes)} bytes`,
        );
    },
    onItem: (item, itemBytes, type) => take(keep(item, itemBytes, type)),
    onUnread: (item) => take(keepUnread(item)),
  };
  return {
    sink,
    take,
    end: flush,
    get objects() {
      return objects;
    },
    get bytes() {
      return bytes;
    },
  };
}

function requestPage(
  { client, path, query, signal, protobuf }: PageSource,
  part: { readonly limit: number; readonly continue?: string | undefined },
  items: { readonly maxItemBytes: number; readonly wholeBytes: number; readonly begin: () => ItemSink },
): Promise<WireList | null> {
  return client.request<WireList | null>({
    path,
    query: { ...query, ...part },
    ...(signal === undefined ? {} : { signal }),
    items: { protobuf, ...items },
  });
}

function metadataOf(list: WireList | null, source: PageSource): NonNullable<WireList["metadata"]> {
  if (typeof list !== "object" || list === null) throw noList(source);
  return list.metadata ?? {};
}

function noList({ path }: PageSource): ConnectionError {
  return new ConnectionError("bad_response", `${path} did not return a list`);
}
