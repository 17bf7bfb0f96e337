// Applies manifests.
import { type KubeClient, type KubeObject, type RestMapper, resourcePath } from "@plimsoll/kube";
import { parseAllDocuments } from "yaml";

/** The objects of a YAML stream. @throws with the place of the first mistake. */
export function parseManifests(text: string): readonly KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

/** Brings objects to the cluster by server-side apply, in the order given. */
export async function applyManifests(
  cluster: { readonly client: KubeClient; readonly mapper: RestMapper },
  objects: readonly KubeObject[],
): Promise<void> {
  for (const object of objects) {
    const info = (await resourceOf(cluster.mapper, object)) ?? (await refreshed(cluster.mapper, object));
    if (info === undefined) throw new Error(`the cluster serves no ${object.kind} of ${object.apiVersion}`);
    await cluster.client.request({
      method: "PATCH",
      path: resourcePath(info, info.namespaced ? object.metadata.namespace : undefined, object.metadata.name),
      query: { fieldManager: "plimsoll-e2e", force: true },
      contentType: "application/apply-patch+yaml",
      body: object,
    });
  }
}

async function resourceOf(mapper: RestMapper, object: KubeObject) {
  const [group = "", version = ""] = groupVersion(object);
  const kinds = await mapper.byKind(group, object.kind ?? "");
  return kinds.find((candidate) => candidate.version === version);
}

/** Its definition may have come just now; the mapper looks for what it does not know only now and then. */
async function refreshed(mapper: RestMapper, object: KubeObject) {
  await mapper.refresh();
  return resourceOf(mapper, object);
}

function groupVersion(object: KubeObject): readonly string[] {
  const apiVersion = object.apiVersion ?? "";
  return apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
}
