// Lists of API objects for the doctor: each collection is read once, page by page, and trimmed as it arrives.
import { getOrAdd } from "@plimsoll/component-base";
import type { Fields } from "@plimsoll/core/internal/values";
import { known, listOf, namespaceOf, type Reading, unknown } from "@plimsoll/doctor";
import { ApiError, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../../../cluster/cluster.ts";
import { type Kind, trimmed } from "./kinds.ts";

/** Lists of a scope: one namespace, or all of them. */
export type Lists = ReturnType<typeof createLists>;

const pageSize = 500;
/** Of one collection: more would take the memory of this process. */
const maxObjects = 200_000;

export function createLists(cluster: Cluster, scope: string | undefined) {
  const lists = new Map<string, Promise<Reading<ByNamespace>>>();
  const read = (kind: Kind) => getOrAdd(lists, kind.resource, () => readList(cluster, kind, scope));
  return {
    /** Those of a namespace; of the cluster for a kind without namespaces. */
    async list(kind: Kind, namespace: string): Promise<Reading<readonly Fields[]>> {
      const reading = await read(kind);
      return reading.ok ? known(reading.value.get(kind.isOfCluster ? "" : namespace) ?? []) : reading;
    },
    /** Those of the whole scope. */
    async listAll(kind: Kind): Promise<Reading<readonly Fields[]>> {
      const reading = await read(kind);
      return reading.ok ? known([...reading.value.values()].flat()) : reading;
    },
  };
}

type ByNamespace = ReadonlyMap<string, readonly Fields[]>;

async function readList(
  cluster: Cluster,
  kind: Kind,
  scope: string | undefined,
): Promise<Reading<ByNamespace>> {
  try {
    const info = await cluster.mapper.byResource(
      kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`,
    );
    // What is not installed has no objects.
    if (info === undefined) return known(new Map());
    const path = resourcePath(info, kind.isOfCluster ? undefined : scope);
    const found = new Map<string, Fields[]>();
    let count = 0;
    let next: string | undefined;
    do {
      const query = { ...kind.query, limit: pageSize, continue: next };
      const page = await cluster.client.request<Page>({ path, query });
      for (const item of listOf(page.items)) {
        const namespace = kind.isOfCluster ? "" : namespaceOf(item);
        const object = trimmed(kind, { kind: info.kind, ...item });
        const objects = found.get(namespace);
        if (objects === undefined) found.set(namespace, [object]);
        else objects.push(object);
        count += 1;
      }
      if (count > maxObjects) return unknown(`more than ${maxObjects} ${kind.resource}`);
      next = page.metadata?.continue || undefined;
    } while (next !== undefined);
    return known(found);
  } catch (error) {
    return unreadable(cluster, error, `list ${kind.resource}`);
  }
}

interface Page {
  readonly metadata?: { readonly continue?: string };
  readonly items?: unknown;
}

/** "may not list nodes", or the error. An abort ends the command. */
export function unreadable(cluster: Cluster, error: unknown, what: string): Reading<never> {
  if (error instanceof ApiError && (error.code === 403 || error.code === 401))
    return unknown(`may not ${what}`);
  return unknown(`cannot ${what}: ${cluster.errorText(error)}`);
}
