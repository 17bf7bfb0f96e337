// Reads a whole list.
import { ConnectionError } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { readPages } from "../watch/list-all.ts";
import { createPageSize } from "../watch/page-size.ts";

const maxPageSize = 500;

/**
 * All objects of a list, page by page; pages with large objects have fewer of them. Throws ApiError or ConnectionError.
 */
export async function readList<T>(
  client: Pick<KubeClient, "request">,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<readonly T[]> {
  const items: T[] = [];
  await readPages<T>({
    client,
    path,
    query,
    pages: createPageSize(maxPageSize),
    maxItemBytes: Number.POSITIVE_INFINITY,
    keep: (item) => item as T,
    keepUnread({ namespace, name }) {
      const named = name === undefined ? "an object" : `${namespace ?? ""}/${name}`;
      throw new ConnectionError("bad_response", `GET ${path}: ${named} is not valid JSON`);
    },
    add: (item) => items.push(item),
  });
  return items;
}
