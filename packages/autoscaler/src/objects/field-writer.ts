// Reads from managedFields who wrote the status or the replicas of an object last.
import type { KubeObject } from "@plimsoll/kube";
import { fieldManager } from "./field-managers.ts";

/** Who wrote a part of an object last, as the API server recorded it. */
export interface FieldWriter {
  readonly manager: string;
  /** RFC 3339; undefined when the entry has none. */
  readonly at: string | undefined;
}

interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** The newest writer of the status subresource. */
export function statusWriterOf(object: KubeObject): FieldWriter | undefined {
  return newest(entriesOf(object).filter(({ subresource }) => subresource === "status"));
}

/** Who owns spec.replicas; through /scale or on the object itself. */
export function replicasWriterOf(object: KubeObject): FieldWriter | undefined {
  return newest(entriesOf(object).filter(ownsReplicas));
}

function entriesOf(object: KubeObject): readonly ManagedFieldsEntry[] {
  const { managedFields } = object.metadata as KubeObject["metadata"] & { readonly managedFields?: unknown };
  return Array.isArray(managedFields) ? (managedFields as readonly ManagedFieldsEntry[]) : [];
}

function ownsReplicas({ fieldsV1 }: ManagedFieldsEntry): boolean {
  const spec = fieldsV1?.["f:spec"];
  return typeof spec === "object" && spec !== null && "f:replicas" in spec;
}

/** Times have whole seconds: of writers within one, another than ourselves, whose own writes we know. */
function newest(entries: readonly ManagedFieldsEntry[]): FieldWriter | undefined {
  let found: FieldWriter | undefined;
  for (const { manager, time } of entries) {
    if (manager === undefined) continue;
    const isLater = found === undefined || (time ?? "") > (found.at ?? "");
    if (isLater || (time === found?.at && manager !== fieldManager)) found = { manager, at: time };
  }
  return found;
}
