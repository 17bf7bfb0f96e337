// Reads discovery group by group.
import { messageOf } from "@plimsoll/component-base";
import type { KubeClient } from "../client/client.ts";
import type { ResourceInfo } from "../objects/resource.ts";
import { type Discovered, type DiscoveredGroup, resourceInfo } from "./discovered.ts";

interface WireGroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version?: string };
  }[];
}

interface WireResourceList {
  readonly resources?:
    | readonly {
        readonly name: string;
        readonly singularName?: string | null;
        readonly namespaced?: boolean;
        readonly kind?: string;
        readonly verbs?: readonly string[] | null;
        readonly shortNames?: readonly string[] | null;
      }[]
    | null;
}

/** Discovery with one request per group and version, for servers without the aggregated form. */
export async function discoverLegacy(client: KubeClient): Promise<Discovered> {
  const [core, named] = await Promise.all([
    client.request<{ readonly versions?: readonly string[] }>({ path: "/api" }),
    client.request<WireGroupList>({ path: "/apis" }),
  ]);
  const wanted = [
    { group: "", versions: core.versions ?? [] },
    ...(named.groups ?? []).map(({ name, versions = [], preferredVersion }) => ({
      group: name,
      versions: preferredFirst(
        versions.map(({ version }) => version),
        preferredVersion?.version,
      ),
    })),
  ];
  const failures: string[] = [];
  const groups = await Promise.all(
    wanted.map(async ({ group, versions }): Promise<DiscoveredGroup> => {
      const lists = await Promise.all(
        versions.map((version) => readVersion(client, { group, version }, failures)),
      );
      return { group, versions, resources: lists.flat() };
    }),
  );
  return { groups, failures };
}

async function readVersion(
  client: KubeClient,
  { group, version }: { readonly group: string; readonly version: string },
  failures: string[],
): Promise<readonly ResourceInfo[]> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const list = (await client.request<WireResourceList>({ path })).resources ?? [];
    return list
      .filter(({ name }) => !name.includes("/"))
      .map((resource) =>
        resourceInfo({
          group,
          version,
          resource: resource.name,
          singular: resource.singularName,
          kind: resource.kind ?? "",
          namespaced: resource.namespaced === true,
          verbs: resource.verbs,
          shortNames: resource.shortNames,
          hasScale: list.some(({ name }) => name === `${resource.name}/scale`),
        }),
      );
  } catch (error) {
    // One API server behind the aggregation layer that is down must not hide all the others.
    failures.push(`${group}/${version}: ${messageOf(error)}`);
    return [];
  }
}

function preferredFirst(versions: readonly string[], preferred: string | undefined): readonly string[] {
  if (preferred === undefined || !versions.includes(preferred)) return versions;
  return [preferred, ...versions.filter((version) => version !== preferred)];
}
