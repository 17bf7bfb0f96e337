// Metadata and references of API objects.
import { instantMs } from "@plimsoll/core";
import { type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { at, listOf, numberOf } from "./fields.ts";

/** An object by kind and name. */
export interface Reference {
  /** "" when it is not given: then every group counts as the same. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export function nameOf(object: unknown): string {
  return textOf(at(object, "metadata", "name"));
}

export function namespaceOf(object: unknown): string {
  return textOf(at(object, "metadata", "namespace"));
}

export function createdAtMs(object: unknown): number | undefined {
  return instantMs(at(object, "metadata", "creationTimestamp"));
}

export function readReference(value: unknown, defaultKind = ""): Reference {
  const { apiVersion, kind, name } = fieldsOf(value);
  return { apiVersion: textOf(apiVersion), kind: textOf(kind) || defaultKind, name: textOf(name) };
}

export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/** Whether two references of one namespace name one object; the version does not count. */
export function isSame(a: Reference, b: Reference): boolean {
  const groups =
    a.apiVersion === "" || b.apiVersion === "" || groupOf(a.apiVersion) === groupOf(b.apiVersion);
  return groups && a.kind === b.kind && a.name === b.name && a.name !== "";
}

/** "Deployment/shop". */
export function printReference({ kind, name }: Pick<Reference, "kind" | "name">): string {
  return `${kind}/${name}`;
}

/** The owner that controls the object. */
export function controllerOf(object: unknown): Reference | undefined {
  const owner = listOf(at(object, "metadata", "ownerReferences")).find(
    ({ controller }) => controller === true,
  );
  return owner === undefined ? undefined : readReference(owner);
}

export function isOwnedBy(object: unknown, owner: Pick<Reference, "kind" | "name">): boolean {
  return listOf(at(object, "metadata", "ownerReferences")).some(
    ({ kind, name }) => kind === owner.kind && name === owner.name,
  );
}

/** Who wrote a field last, by the managed fields of its object. */
export interface FieldWriter {
  readonly manager: string;
  /** "Apply" or "Update". */
  readonly operation: string;
  readonly subresource: string;
  readonly atMs: number | undefined;
}

/** All managers that own a field, such as `["spec", "replicas"]`. */
export function writersOf(object: unknown, path: readonly string[]): readonly FieldWriter[] {
  const wanted = path.map((part) => `f:${part}`);
  return listOf(at(object, "metadata", "managedFields"))
    .filter(({ fieldsV1 }) => at(fieldsV1, ...wanted) !== undefined)
    .map((entry) => ({
      manager: textOf(entry["manager"]),
      operation: textOf(entry["operation"]),
      subresource: textOf(entry["subresource"]),
      atMs: instantMs(entry["time"]),
    }));
}

/** One of status.conditions. */
export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** When its status changed last. */
  readonly sinceMs: number | undefined;
}

export function conditionOf(object: unknown, type: string): Condition | undefined {
  const found = listOf(at(object, "status", "conditions")).find((condition) => condition["type"] === type);
  if (found === undefined) return undefined;
  return {
    status: textOf(found["status"]),
    reason: textOf(found["reason"]),
    message: textOf(found["message"]),
    sinceMs: instantMs(found["lastTransitionTime"]),
  };
}

export function replicasOf(object: Fields): number | undefined {
  return numberOf(at(object, "spec", "replicas"));
}
