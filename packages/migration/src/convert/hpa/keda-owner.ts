import { fieldsOf, listOf, textOf } from "@plimsoll/core/internal/values";
import type { SourceObject } from "../../manifests/source.ts";

/** The ScaledObject that an HPA was made for. */
export function kedaOwner({ value }: SourceObject): string | undefined {
  const owners = listOf(fieldsOf(value["metadata"])["ownerReferences"]).map(fieldsOf);
  const owner = owners.find(
    ({ kind, apiVersion }) => kind === "ScaledObject" && textOf(apiVersion).startsWith("keda.sh/"),
  );
  return owner && textOf(owner["name"]);
}
