import type { ReplicaBounds } from "@plimsoll/core";
import { fieldsOf } from "@plimsoll/core/internal/values";
import { namespaceOf, type SourceObject } from "./source.ts";

interface HpaName {
  readonly namespace: string;
  readonly name: string;
}

/** A HorizontalPodAutoscaler of the files. */
export function findHpa(
  all: readonly SourceObject[],
  { namespace, name }: HpaName,
): SourceObject | undefined {
  return all.find(
    (one) =>
      one.kind === "HorizontalPodAutoscaler" &&
      fieldsOf(one.value["metadata"])["name"] === name &&
      namespaceOf(one) === (namespace || "default"),
  );
}

/** The bounds of a HorizontalPodAutoscaler that the files have; undefined when they do not say. */
export function hpaBounds(all: readonly SourceObject[], of: HpaName): ReplicaBounds | undefined {
  const { minReplicas = 1, maxReplicas } = fieldsOf(findHpa(all, of)?.value["spec"]);
  if (typeof minReplicas !== "number" || typeof maxReplicas !== "number") return undefined;
  return { minReplicas, maxReplicas };
}
