// Invariant: nothing of a deleted object remains.
import type { StoredObject } from "@plimsoll/sandbox";
import type { CreateInvariant } from "../run/world.ts";
import { hpaResource, keyOfObject, wlaResource } from "./names.ts";

const annotation = "autoscaling.plimsoll.dev/schedule-bounds";

/**
 * At the end of the quiet time no process keeps a decision on an object that is gone, no WorkloadAutoscaler waits for its end, and no
 * HPA has bounds that a WorkloadAutoscaler moved which is gone.
 */
export const nothingRemains: CreateInvariant = ({ autoscalers, cluster: { store } }) => ({
  name: "nothing-remains",
  end() {
    for (const [process, { decisions }] of autoscalers) {
      for (const { namespace, name, resource, uid } of decisions.latest()) {
        const stored = store.get(
          resource === "workloadautoscalers" ? wlaResource : hpaResource,
          namespace,
          name,
        );
        if (stored?.metadata.uid !== uid)
          return `${process} keeps decisions on ${resource} ${namespace}/${name} of uid ${uid ?? ""}, which is gone`;
      }
    }
    for (const { metadata, kind = "" } of store.list(wlaResource)) {
      if (metadata.deletionTimestamp !== undefined)
        return `${keyOfObject(kind, metadata.namespace ?? "", metadata.name)} was deleted, and still waits for its end`;
    }
    for (const hpa of store.list(hpaResource)) {
      const by = moverOf(hpa);
      const { namespace = "", name } = hpa.metadata;
      if (by !== undefined && store.get(wlaResource, namespace, by) === undefined)
        return `the bounds of ${namespace}/${name} are still moved by ${by}, which is gone`;
    }
    return true;
  },
});

function moverOf({ metadata }: StoredObject): string | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { readonly by?: string }).by;
  } catch {
    return undefined;
  }
}
