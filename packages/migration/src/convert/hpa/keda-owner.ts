import { fieldsOf } from "@plimsoll/core/internal/values";
import type { SourceObject } from "../../manifests/source.ts";

/** The ScaledObject that an HPA was made for. */
export function kedaOwner({ value }: SourceObject): string | undefined {
  const owners = fieldsOf(value["metadata"])["ownerReferences"];
  const references = Array.isArray(owners) ? (owners as readonly unknown[]).map(fieldsOf) : [];
  const name = references.find(({ kind, apiVersion }) => kind === "ScaledObject" && isOfKeda(apiVersion))?.[
    "name"
  ];
  return typeof name === "string" ? name : undefined;
}

function isOfKeda(apiVersion: unknown): boolean {
  return typeof apiVersion === "string" && apiVersion.startsWith("keda.sh/");
}
