// Who wrote the replicas of a target last, as the API server noted it.
import { type KubeObject, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";

interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: { readonly "f:spec"?: { readonly "f:replicas"?: object } };
}

/** Undefined: no writer is noted, or the target may not be read. */
export async function readCountWriter(
  { client, mapper }: Pick<Cluster, "client" | "mapper">,
  { object, identity }: ScalingObject,
): Promise<string | undefined> {
  try {
    const { apiVersion = "", kind, name } = object.spec.scaleTargetRef;
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    const [info] = await mapper.byKind(group, kind);
    if (info === undefined) return undefined;
    const target = await client.request<KubeObject>({
      path: resourcePath(info, identity.namespace, encodeURIComponent(name)),
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
    });
    return writerOf(target);
  } catch {
    return undefined;
  }
}

/** Of several that own the field the last one wrote it. */
export function writerOf({ metadata }: KubeObject): string | undefined {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] };
  const [latest] = managedFields
    .filter(({ fieldsV1 }) => fieldsV1?.["f:spec"]?.["f:replicas"] !== undefined)
    .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1));
  return latest?.manager;
}
