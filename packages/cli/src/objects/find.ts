// Finds the objects that a command line names.
import { suggest } from "@plimsoll/component-base/process";
import type { Cluster } from "../cluster/cluster.ts";
import { CliError } from "../seams.ts";
import { elsewhereText, inOnlyNamespace } from "./elsewhere.ts";
import { findScaler } from "./find-scaler.ts";
import { getObject } from "./get.ts";
import { listObjects } from "./list.ts";
import { type ObjectReference, parseReference } from "./reference.ts";
import { hpas, type ScalingObject, type ScalingResource, wlas } from "./scaling-object.ts";

/**
 * The one object of a reference; with -A in whichever namespace has it.
 * @throws CliError with near names, other namespaces, or both kinds of a name; ApiError, ConnectionError
 */
export async function findObject(scoped: Cluster, text: string): Promise<ScalingObject> {
  const reference = parseReference(text);
  const cluster = scoped.scope === undefined ? await inOnlyNamespace(scoped, reference, text) : scoped;
  const found = await candidates(cluster, reference);
  const [only, other] = found;
  if (only === undefined) throw await notFound(cluster, reference);
  if (other === undefined) return only;
  throw new CliError(
    `"${reference.name}" is a HorizontalPodAutoscaler and a WorkloadAutoscaler in namespace "${cluster.namespace}": use hpa/${reference.name} or wla/${reference.name}`,
  );
}

/** All objects of references; each that cannot be found is handed to `failed`. */
export async function findObjects(
  cluster: Cluster,
  texts: readonly string[],
  failed: (text: string, error: unknown) => void,
): Promise<readonly ScalingObject[]> {
  const found = await Promise.all(
    texts.map(async (text) => {
      try {
        return await findObject(cluster, text);
      } catch (error) {
        failed(text, error);
        return undefined;
      }
    }),
  );
  return found.filter((object) => object !== undefined);
}

async function candidates(cluster: Cluster, reference: ObjectReference): Promise<readonly ScalingObject[]> {
  const { client, namespace } = cluster;
  const get = (resource: ScalingResource) => getObject(client, resource, { namespace, name: reference.name });
  switch (reference.kind) {
    case "hpa":
      return listed(await get(hpas));
    case "wla":
      return listed(await get(wlas));
    case "any":
      return (await Promise.all([hpas, wlas].map(get))).flatMap(listed);
    case "so":
    case "target":
      return [await findScaler(cluster, reference)];
  }
}

const kindNames = { any: "HorizontalPodAutoscaler or WorkloadAutoscaler", hpa: hpas.kind, wla: wlas.kind };

async function notFound(cluster: Cluster, reference: ObjectReference): Promise<CliError> {
  const { kind, name } = reference;
  const kinds = kind === "hpa" || kind === "wla" ? kindNames[kind] : kindNames.any;
  const hint = await elsewhereText(cluster, reference, await nearName(cluster, name));
  return new CliError(`no ${kinds} "${name}" in namespace "${cluster.namespace}"${hint}`);
}

/** Undefined also where the names may not be listed: the object is what matters. */
async function nearName({ client, namespace }: Cluster, name: string): Promise<string | undefined> {
  try {
    const objects = await listObjects(client, { namespace });
    return suggest(
      name,
      objects.map(({ identity }) => identity.name),
    );
  } catch {
    return undefined;
  }
}

function listed<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}
