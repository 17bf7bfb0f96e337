// Tracks managedFields: which manager owns which fields.
import type { MergeSchema } from "../patch/merge-schema.ts";
import { isRecord, type JsonRecord, stringAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import {
  changedFields,
  difference,
  type FieldSet,
  fromFieldsV1,
  isEmptySet,
  toFieldsV1,
  union,
} from "./field-set.ts";

/** Who wrote which fields, by which kind of request. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly fields: FieldSet;
  /** What it was read from, where that is stored and so stays as it is. */
  readonly source?: { readonly fields: FieldSet; readonly entry: JsonRecord };
}

export interface WriteIdentity {
  readonly manager: string;
  readonly subresource: string;
  readonly apiVersion: string;
  readonly time: string;
}

export function ownersOf(managedFields: readonly unknown[] | undefined): readonly FieldOwner[] {
  return (managedFields ?? [])
    .filter(isRecord)
    .filter((entry) => entry["fieldsV1"] !== undefined)
    .map((entry) => {
      const { fieldsV1 } = entry;
      if (!isRecord(fieldsV1) || !Object.isFrozen(fieldsV1)) return ownerOf(entry, fromFieldsV1(fieldsV1));
      let fields = stored.get(fieldsV1);
      if (fields === undefined) stored.set(fieldsV1, (fields = fromFieldsV1(fieldsV1)));
      return { ...ownerOf(entry, fields), source: { fields, entry } };
    });
}

/** By what is stored: many writes leave it as it is. */
const stored = new WeakMap<JsonRecord, FieldSet>();

function ownerOf(entry: JsonRecord, fields: FieldSet): FieldOwner {
  return {
    manager: stringAt(entry, "manager") ?? "",
    operation: entry["operation"] === "Apply" ? "Apply" : "Update",
    subresource: stringAt(entry, "subresource") ?? "",
    apiVersion: stringAt(entry, "apiVersion") ?? "",
    time: stringAt(entry, "time") ?? "",
    fields,
  };
}

export function managedFieldsOf(owners: readonly FieldOwner[]): readonly JsonRecord[] {
  return owners
    .filter((owner) => !isEmptySet(owner.fields))
    .map((owner) => {
      const { fields, source, subresource, time } = owner;
      if (source?.fields === fields) {
        return source.entry["time"] === time ? source.entry : { ...source.entry, time };
      }
      return {
        manager: owner.manager,
        operation: owner.operation,
        apiVersion: owner.apiVersion,
        time,
        fieldsType: "FieldsV1",
        fieldsV1: toFieldsV1(fields),
        ...(subresource === "" ? {} : { subresource }),
      };
    });
}

/** The owners after a write that is no apply: what changed belongs to the writer, what is gone to no manager. */
export function ownersAfterUpdate(
  before: StoredObject | undefined,
  after: StoredObject,
  options: { owners: readonly FieldOwner[]; writer: WriteIdentity; schema: MergeSchema },
): readonly FieldOwner[] {
  const { changed, removed } = changedFields(before === undefined ? {} : ownable(before), ownable(after), {
    schema: options.schema,
    path: [],
  });
  if (isEmptySet(changed) && isEmptySet(removed)) return options.owners;
  const lost = union(changed, removed);
  const isWriter = (owner: FieldOwner): boolean =>
    owner.operation === "Update" &&
    owner.manager === options.writer.manager &&
    owner.subresource === options.writer.subresource &&
    owner.apiVersion === options.writer.apiVersion;
  const kept = options.owners.map((owner) => ({
    ...owner,
    fields: isWriter(owner) ? difference(owner.fields, removed) : difference(owner.fields, lost),
  }));
  if (isEmptySet(changed)) return kept;
  const existing = kept.find(isWriter);
  if (existing === undefined) return [...kept, { ...options.writer, operation: "Update", fields: changed }];
  return kept.map((owner) =>
    owner === existing
      ? { ...owner, time: options.writer.time, fields: union(owner.fields, changed) }
      : owner,
  );
}

const systemMetadata = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
];

/** The object without the fields that no manager owns. */
export function ownable(object: StoredObject): JsonRecord {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const owned: JsonRecord = { ...(metadata as unknown as JsonRecord) };
  for (const key of systemMetadata) delete owned[key];
  return Object.keys(owned).length === 0 ? rest : { metadata: owned, ...rest };
}
