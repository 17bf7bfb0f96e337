// Finds the namespaces that have an object of a name.
import { compareText } from "@plimsoll/core/internal/values";
import { ApiError, isNotFound, type ResourceInfo, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import { isClusterError } from "../cluster/error-text.ts";
import { CliError } from "../seams.ts";
import type { ObjectReference } from "./reference.ts";
import { hpas, wlas } from "./scaling-object.ts";

type Resource = Pick<ResourceInfo, "group" | "version" | "resource">;

/** What a reference names, where it is one resource; the others are found through it. */
export const scaledObjects: Resource = { group: "keda.sh", version: "v1alpha1", resource: "scaledobjects" };

const maxFound = 10;

/** The namespaces, or why they are not known. */
type Places = { readonly namespaces: readonly string[]; readonly unread?: string };

interface Named {
  readonly items?: readonly { readonly metadata?: { readonly namespace?: string } }[];
}

/** One list of each kind that the reference can mean, with a limit. */
async function placesOf(cluster: Cluster, reference: ObjectReference): Promise<Places> {
  const { client, mapper } = cluster;
  const namespaces = new Set<string>();
  try {
    const lists = (await resourcesOf(mapper, reference)).map(async (resource) => {
      const query = { fieldSelector: `metadata.name=${reference.name}`, limit: maxFound };
      const { items = [] } = await client
        .request<Named>({ path: resourcePath(resource), query })
        .catch((error: unknown): Named => {
          if (isNotFound(error)) return {};
          throw error;
        });
      for (const { metadata } of items) namespaces.add(metadata?.namespace ?? "");
    });
    await Promise.all(lists);
    return { namespaces: [...namespaces].sort(compareText) };
  } catch (error) {
    if (!isClusterError(error)) throw error;
    const isRefused = error instanceof ApiError && error.code === 403;
    return {
      namespaces: [],
      unread: isRefused ? "you can't list other namespaces" : cluster.errorText(error),
    };
  }
}

async function resourcesOf(
  mapper: Cluster["mapper"],
  reference: ObjectReference,
): Promise<readonly Resource[]> {
  switch (reference.kind) {
    case "hpa":
      return [hpas];
    case "wla":
      return [wlas];
    case "any":
      return [hpas, wlas];
    case "so":
      return [scaledObjects];
    case "target":
      return (await mapper.byKind(reference.target.group, reference.target.kind)).slice(0, 1);
  }
}

/** The rest of a message that nothing was found in the namespace; `near` is a name that it has. */
export async function elsewhereText(
  cluster: Cluster,
  reference: ObjectReference,
  near?: string,
): Promise<string> {
  const { namespaces, unread } = await placesOf(cluster, reference);
  if (namespaces.length > 0 && !namespaces.includes(cluster.namespace)) return `; ${foundText(namespaces)}`;
  if (near !== undefined) return `; did you mean "${near}"?`;
  return unread === undefined ? "" : `; ${unread}: if it is in one of them, add -n NAMESPACE`;
}

/** The cluster, in the only namespace that has the name. @throws CliError for none, or several */
export async function inOnlyNamespace(
  cluster: Cluster,
  reference: ObjectReference,
  text: string,
): Promise<Cluster> {
  const { namespaces, unread } = await placesOf(cluster, reference);
  const [only, other] = namespaces;
  if (unread !== undefined) throw new CliError(`"${text}": ${unread}: use -n NAMESPACE instead of -A`);
  if (only === undefined) throw new CliError(`"${text}" not found in any namespace`);
  if (other !== undefined) throw new CliError(`"${text}" ${foundText(namespaces)} instead of -A`);
  return { ...cluster, namespace: only };
}

function foundText(namespaces: readonly string[]): string {
  const more = namespaces.length < maxFound ? "" : " and perhaps others";
  const names = `${namespaces.join(", ")}${more}`;
  return `found in namespace${namespaces.length === 1 ? "" : "s"} ${names}; add -n ${namespaces[0] ?? ""}`;
}
