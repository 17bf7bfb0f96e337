import type { KubeClient } from "@plimsoll/kube";

const pageSize = 500;

/** All pages of a list. Throws ApiError or ConnectionError. */
export async function listAll<T>(
  client: KubeClient,
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
