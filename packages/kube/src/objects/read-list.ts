// Reads a whole list.
import type { KubeClient } from "../client/client.ts";

const pageSize = 500;

/** All objects of a list, page by page. Throws ApiError or ConnectionError. */
export async function readList<T>(
  client: Pick<KubeClient, "request">,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<readonly T[]> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await client.request<{
      readonly metadata?: { readonly continue?: string };
      readonly items?: readonly T[] | null;
    }>({ path, query: { ...query, limit: pageSize, continue: next } });
    items.push(...(page.items ?? []));
    next = page.metadata?.continue || undefined;
  } while (next !== undefined);
  return items;
}
