// Applies a configuration as server-side apply does.
import { type StatusCause, StatusError } from "../errors/status-error.ts";
import type { MergeSchema } from "../patch/merge-schema.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { cloneJson, isRecord, type JsonRecord } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import {
  changedFields,
  difference,
  emptySet,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmptySet,
  pathsOf,
  union,
} from "./field-set.ts";
import { type FieldOwner, managedFieldsOf, ownable, ownersOf, type WriteIdentity } from "./managed-fields.ts";
import { mergeApplied, withoutFields } from "./merge-applied.ts";

/**
 * Server-side apply: the configuration is laid over the live object, fields that this manager applied before and
 * leaves out now are removed unless another manager owns them, and a field that another manager owns and this one
 * would change is a conflict (409), or changes hands with `force`.
 *
 * @upstream structured-merge-diff/merge/update.go#Updater.Apply
 */
export function serverSideApply(
  live: StoredObject | undefined,
  applied: ApiObject,
  options: { schema: MergeSchema; writer: WriteIdentity; force: boolean },
): ApiObject {
  const { schema, writer } = options;
  const configuration = ownable(applied);
  const wanted = fieldsOf(configuration, schema);
  const owners = ownersOf(live?.metadata.managedFields);
  const isWriter = (owner: FieldOwner): boolean =>
    owner.operation === "Apply" &&
    owner.manager === writer.manager &&
    owner.subresource === writer.subresource;
  const base = live === undefined ? {} : ownable(live);
  const merged = mergeApplied(base, configuration, { schema, path: [] });
  const { changed } = changedFields(base, merged, { schema, path: [] });
  const others = owners.filter((owner) => !isWriter(owner));
  const conflicts = others
    .map((owner) => ({ owner, fields: intersection(intersection(owner.fields, changed), wanted) }))
    .filter(({ fields }) => !isEmptySet(fields));
  if (conflicts.length > 0 && !options.force) throw conflictError(conflicts);

  const previousOwner = owners.find(isWriter);
  const previous = previousOwner?.fields ?? emptySet();
  const ownedByOthers = others.map((owner) => owner.fields).reduce(union, emptySet());
  const dropped = difference(difference(previous, wanted), ownedByOthers);
  const pruned = withoutFields(merged, keepAncestors(dropped, wanted, ownedByOthers), { schema, path: [] });
  const applier: FieldOwner = { ...writer, operation: "Apply", fields: wanted };
  const settled = owners.map((owner) => {
    // The same configuration again is no write, so it keeps its place and its time.
    if (owner === previousOwner) return sameOwnership(owner, applier) ? owner : applier;
    const lost = conflicts.find((conflict) => conflict.owner === owner)?.fields;
    return lost === undefined ? owner : { ...owner, fields: difference(owner.fields, lost) };
  });
  return assemble(live, applied, {
    content: isRecord(pruned) ? pruned : {},
    owners: previousOwner === undefined ? [...settled, applier] : settled,
  });
}

function sameOwnership(a: FieldOwner, b: FieldOwner): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    isEmptySet(difference(a.fields, b.fields)) &&
    isEmptySet(difference(b.fields, a.fields))
  );
}

// A list item that this manager drops stays while another manager owns a field inside it.
function keepAncestors(dropped: FieldSet, ...kept: readonly FieldSet[]): FieldSet {
  const result = emptySet(dropped.here && kept.every(isEmptySet));
  for (const [key, child] of dropped.children) {
    const inner = kept.map((set) => set.children.get(key) ?? emptySet());
    result.children.set(key, keepAncestors(child, ...inner));
  }
  return result;
}

function assemble(
  live: StoredObject | undefined,
  applied: ApiObject,
  options: { content: JsonRecord; owners: readonly FieldOwner[] },
): ApiObject {
  const { metadata: owned, ...rest } = options.content;
  const system: JsonRecord =
    live === undefined ? {} : { ...(cloneJson(live.metadata) as unknown as JsonRecord) };
  for (const key of ["labels", "annotations", "finalizers", "ownerReferences", "generateName"])
    delete system[key];
  const { name, namespace, uid, resourceVersion } = applied.metadata;
  const metadata: JsonRecord = {
    ...system,
    ...(isRecord(owned) ? owned : {}),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    // A precondition of the request, if it has any, wins over what is there.
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    managedFields: managedFieldsOf(options.owners),
  };
  return { apiVersion: applied.apiVersion, kind: applied.kind, ...rest, metadata } as unknown as ApiObject;
}

function conflictError(conflicts: readonly { owner: FieldOwner; fields: FieldSet }[]): StatusError {
  const causes: StatusCause[] = conflicts.flatMap(({ owner, fields }) =>
    pathsOf(fields).map((field) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${nameOf(owner)}`,
      field,
    })),
  );
  const count = `Apply failed with ${causes.length} conflict${causes.length === 1 ? "" : "s"}`;
  const groups = conflicts.map(({ owner, fields }) => {
    const list = pathsOf(fields);
    if (conflicts.length === 1 && list.length === 1) return `conflict with ${nameOf(owner)}: ${list[0]}`;
    return `conflicts with ${nameOf(owner)}:\n${list.map((path) => `- ${path}`).join("\n")}`;
  });
  return new StatusError({
    code: 409,
    reason: "Conflict",
    message: `${count}: ${groups.join("\n")}`,
    details: { causes },
  });
}

function nameOf(owner: FieldOwner): string {
  const subresource = owner.subresource === "" ? "" : ` with subresource "${owner.subresource}"`;
  const how = owner.operation === "Update" ? ` using ${owner.apiVersion}` : "";
  return `"${owner.manager}"${subresource}${how}`;
}
