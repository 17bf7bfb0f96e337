import { type KubeClient, resourcePath } from "@plimsoll/kube";
import { apiErrorText } from "../errors.ts";
import type { Logger } from "../log.ts";
import { type FieldWriter, replicasWriterOf } from "./field-writer.ts";
import type { ScaleTarget } from "./gather/target.ts";

/** Who wrote the target's count last: the scale subresource does not say, the object does, if we may read it. */
export async function readCountWriter(
  { info, scale }: ScaleTarget,
  namespace: string,
  { client, log }: { readonly client: KubeClient; readonly log: Logger },
): Promise<FieldWriter | undefined> {
  try {
    const path = resourcePath(info, info.namespaced ? namespace : undefined, scale.metadata.name);
    return replicasWriterOf(await client.request({ path }));
  } catch (error) {
    log.debug({ error: apiErrorText(error) }, "could not read who changed the count");
    return undefined;
  }
}
