import type { Logger } from "@plimsoll/component-base";
import { apiErrorText, type KubeClient, resourcePath } from "@plimsoll/kube";
import { type ScaleTarget } from "@plimsoll/observe";
import { type FieldWriter, replicasWriterOf } from "../../objects/field-writer.ts";

/** Reads who wrote the target's replicas last: the scale subresource does not say, the object does, if we may read it. */
export async function readReplicasWriter(
  { info, scale }: ScaleTarget,
  namespace: string,
  { client, log }: { readonly client: KubeClient; readonly log: Logger },
): Promise<FieldWriter | undefined> {
  try {
    const path = resourcePath(info, info.namespaced ? namespace : undefined, scale.metadata.name);
    return replicasWriterOf(await client.request({ path }));
  } catch (error) {
    log.debug({ error: apiErrorText(error) }, "could not read who changed the replicas");
    return undefined;
  }
}
