// Finds what scales a workload, and the HorizontalPodAutoscaler of a ScaledObject.

import { isNotFound, readList, resourcePath } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import { CliError } from "../seams.ts";
import { elsewhereText, scaledObjects } from "./elsewhere.ts";
import { getObject } from "./get.ts";
import { listObjects } from "./list.ts";
import type { ObjectReference } from "./reference.ts";
import { hpas, type ScalingObject, typedName } from "./scaling-object.ts";

/** @throws CliError, ApiError, ConnectionError */
export function findScaler(cluster: Cluster, reference: ObjectReference): Promise<ScalingObject> {
  return reference.kind === "target" ? scalerOf(cluster, reference) : ofScaledObject(cluster, reference);
}

type TargetReference = Extract<ObjectReference, { kind: "target" }>;

async function scalerOf(cluster: Cluster, reference: TargetReference): Promise<ScalingObject> {
  const { client, namespace } = cluster;
  const { name, target } = reference;
  const { group, kind } = target;
  const objects = await listObjects(client, { namespace });
  const scalers = objects.filter(({ object }) => {
    const ref = object.spec.scaleTargetRef;
    return ref.kind === kind && ref.name === name && groupOf(ref.apiVersion) === group;
  });
  const [only, other] = scalers;
  if (only === undefined) {
    const others = await otherScalers(cluster, kind, name);
    const would =
      others.length === 0 ? await elsewhereText(cluster, reference) : `; ${others.join(" and ")} targets it`;
    throw new CliError(
      `no HorizontalPodAutoscaler or WorkloadAutoscaler scales ${kind} "${name}" in namespace "${namespace}"${would}`,
    );
  }
  if (other === undefined) return only;
  throw new CliError(
    `${scalers.map(typedName).join(" and ")} scale ${kind} "${name}" in namespace "${namespace}": use one of these names`,
  );
}

/** "" for the core group, and where it is not given. */
function groupOf(apiVersion: string | undefined): string {
  return apiVersion?.includes("/") === true ? (apiVersion.split("/")[0] ?? "") : "";
}

interface Wire {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string } };
  readonly status?: { readonly hpaName?: string };
}

const cronHpas = {
  group: "autoscaling.alibabacloud.com",
  version: "v1beta1",
  resource: "cronhorizontalpodautoscalers",
};

/** What is no HPA and would scale it; what may not be read or is not installed is left out. */
async function otherScalers(
  { client, namespace }: Cluster,
  kind: string,
  name: string,
): Promise<readonly string[]> {
  const lists = await Promise.all(
    (
      [
        ["ScaledObject", scaledObjects],
        ["CronHorizontalPodAutoscaler", cronHpas],
      ] as const
    ).map(async ([title, resource]) => {
      try {
        const items = await readList<Wire>(client, resourcePath(resource, namespace));
        return items
          .filter(({ spec }) => {
            const ref = spec?.scaleTargetRef;
            return ref?.name === name && (ref.kind ?? "Deployment") === kind;
          })
          .map(({ metadata }) => `${title} "${metadata.name}"`);
      } catch {
        return [];
      }
    }),
  );
  return lists.flat();
}

async function ofScaledObject(cluster: Cluster, reference: ObjectReference): Promise<ScalingObject> {
  const { client, namespace } = cluster;
  const { name } = reference;
  let scaled: Wire;
  try {
    scaled = await client.request<Wire>({
      path: resourcePath(scaledObjects, namespace, encodeURIComponent(name)),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const where = await elsewhereText(cluster, reference);
    throw new CliError(`no ScaledObject "${name}" in namespace "${namespace}"${where}`);
  }
  const hpaName = scaled.status?.hpaName ?? `keda-hpa-${name}`;
  const found = await getObject(client, hpas, { namespace, name: hpaName });
  if (found !== undefined) return found;
  throw new CliError(
    `ScaledObject "${name}" in namespace "${namespace}" has no HorizontalPodAutoscaler "${hpaName}"`,
  );
}
