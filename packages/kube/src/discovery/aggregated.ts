// Reads discovery in its aggregated form.
import { ApiError } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { type Discovered, type DiscoveredGroup, resourceInfo } from "./discovered.ts";

const accept = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

interface WireGroupList {
  readonly kind?: string;
  readonly items?: readonly WireGroup[] | null;
}

interface WireGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly WireResource[] | null;
  }[];
}

interface WireResource {
  readonly resource: string;
  readonly responseKind?: {
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
  } | null;
  readonly scope?: string;
  readonly singularResource?: string | null;
  readonly verbs?: readonly string[] | null;
  readonly shortNames?: readonly string[] | null;
  readonly subresources?: readonly { readonly subresource: string }[] | null;
}

/**
 * The whole of discovery in two requests. undefined when the server does not offer that. A version whose backend
 * does not respond is marked "Stale" by the server: what it last said is used, and reported as a failure.
 */
export async function discoverAggregated(client: KubeClient): Promise<Discovered | undefined> {
  const groups: DiscoveredGroup[] = [];
  const failures: string[] = [];
  for (const path of ["/api", "/apis"]) {
    let list: WireGroupList;
    try {
      list = await client.request<WireGroupList>({ path, accept });
    } catch (error) {
      if (error instanceof ApiError && (error.code === 406 || error.code === 404)) return undefined;
      throw error;
    }
    if (list.kind !== "APIGroupDiscoveryList") return undefined;
    for (const item of list.items ?? []) groups.push(readGroup(item, failures));
  }
  return { groups, failures };
}

function readGroup(item: WireGroup, failures: string[]): DiscoveredGroup {
  const group = item.metadata?.name ?? "";
  const resources = (item.versions ?? []).flatMap((version) => {
    if (version.freshness === "Stale")
      failures.push(`${group}/${version.version}: its server does not respond`);
    return (version.resources ?? []).map((resource) =>
      resourceInfo({
        group,
        version: version.version,
        resource: resource.resource,
        singular: resource.singularResource,
        kind: resource.responseKind?.kind ?? "",
        namespaced: resource.scope === "Namespaced",
        verbs: resource.verbs,
        shortNames: resource.shortNames,
        hasScale: resource.subresources?.some(({ subresource }) => subresource === "scale") === true,
      }),
    );
  });
  return { group, versions: (item.versions ?? []).map(({ version }) => version), resources };
}
