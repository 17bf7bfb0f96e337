import type { ReplicaBounds } from "@plimsoll/core";
import { jsonOf, type SourceObject } from "./source.ts";

/** The bounds of a HorizontalPodAutoscaler that the files have; undefined when they do not say. */
export function hpaBounds(
  all: readonly SourceObject[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): ReplicaBounds | undefined {
  const found = all.find(({ kind, value }) => {
    const metadata = jsonOf(value["metadata"]);
    const own = (metadata["namespace"] as string | undefined) || "default";
    return (
      kind === "HorizontalPodAutoscaler" && metadata["name"] === name && own === (namespace || "default")
    );
  });
  const { minReplicas = 1, maxReplicas } = jsonOf(found?.value["spec"]);
  if (typeof minReplicas !== "number" || typeof maxReplicas !== "number") return undefined;
  return { minReplicas, maxReplicas };
}
