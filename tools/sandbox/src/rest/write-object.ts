// Creates and updates objects in the storage.
import { managedFieldsOf, ownersAfterUpdate, ownersOf, type WriteIdentity } from "../apply/managed-fields.ts";
import { invalidObject } from "../errors/field-problem.ts";
import {
  alreadyExists,
  conflict,
  modifiedMessage,
  notFound,
  type StatusError,
} from "../errors/status-error.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { cloneJson } from "../storage/json-value.ts";
import { StoreError, timestamp } from "../storage/object-store.ts";
import { seal } from "../storage/seal.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiContext, ApiRequest } from "./api-context.ts";
import { validateName } from "./object-metadata.ts";

/** How a write is to be carried out, from the query and the user agent. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly writer: WriteIdentity;
  /** Server-side apply settles the managed fields itself. */
  readonly keepManagedFields: boolean;
}

export function writeOptions(
  context: ApiContext,
  definition: ResourceDefinition,
  request: ApiRequest,
  subresource = "",
): WriteOptions {
  const agent = request.headers["user-agent"] ?? "";
  return {
    dryRun: request.query.getAll("dryRun").includes("All"),
    keepManagedFields: false,
    writer: {
      manager: request.query.get("fieldManager") ?? (agent.split("/")[0] || "unknown"),
      subresource,
      apiVersion: definition.group === "" ? definition.version : `${definition.group}/${definition.version}`,
      time: timestamp(context.clock.nowMs()),
    },
  };
}

/** Stores a new object that is in the served version; the response is in the stored one. */
export function storeNew(
  context: ApiContext,
  definition: ResourceDefinition,
  input: { object: ApiObject; options: WriteOptions },
): StoredObject {
  const { options } = input;
  const object = definition.conversion.toStored(input.object);
  const { strategy } = definition;
  for (const key of ["uid", "creationTimestamp", "deletionTimestamp", "generation"] as const)
    delete object.metadata[key];
  strategy.setDefaults(object);
  strategy.prepareForCreate(object, { nowMs: context.clock.nowMs(), sequence: context.sequence });
  check(definition, object, undefined);
  if (!options.keepManagedFields) {
    delete object.metadata.managedFields;
    // What the server itself put into status belongs to no manager yet.
    const { status: _status, ...written } = object;
    const sent = definition.hasStatus ? written : object;
    const owners = ownersAfterUpdate(undefined, sent, {
      owners: [],
      writer: options.writer,
      schema: definition.schema,
    });
    object.metadata.managedFields = [...managedFieldsOf(owners)];
  }
  const existing = context.store.get(definition.storage, object.metadata.namespace, object.metadata.name);
  if (existing !== undefined) throw alreadyExists(definition, object.metadata.name);
  if (options.dryRun) {
    return { ...object, metadata: { ...object.metadata, creationTimestamp: options.writer.time } };
  }
  return context.store.create(definition.storage, object);
}

/** Which part of an object a request may change. */
export type Part = "main" | "status";

/** Replaces an object, in the served version, or only its status; what the part does not cover stays as it is. */
export function storeChanged(
  context: ApiContext,
  definition: ResourceDefinition,
  input: { current: StoredObject; object: ApiObject; part: Part; options: WriteOptions },
): StoredObject {
  const { current, part, options } = input;
  const wanted = definition.conversion.toStored(input.object);
  checkPreconditions(definition, current, wanted);
  const written = part === "status" ? withStatusOf(current, wanted) : withMainOf(definition, current, wanted);
  if (part === "main") {
    definition.strategy.setDefaults(written);
    definition.strategy.prepareForUpdate(written, current);
    check(definition, written, current);
  }
  const next: StoredObject = seal(written, current);
  const managedFields = options.keepManagedFields
    ? (wanted.metadata.managedFields ?? [])
    : managedFieldsAfter(definition, { current, next, wanted, writer: options.writer });
  const changed: StoredObject = { ...next, metadata: { ...next.metadata, managedFields } };
  if (options.dryRun) return changed;
  try {
    return context.store.update(definition.storage, changed);
  } catch (error) {
    throw error instanceof StoreError ? asStatus(error, definition) : error;
  }
}

function managedFieldsAfter(
  { schema }: ResourceDefinition,
  input: { current: StoredObject; next: StoredObject; wanted: ApiObject; writer: WriteIdentity },
): readonly unknown[] {
  const { current, next, wanted, writer } = input;
  const owners = ownersOf(sentManagedFields(wanted, current));
  return managedFieldsOf(ownersAfterUpdate(current, next, { owners, writer, schema }));
}

export function asStatus(error: StoreError, definition: ResourceDefinition): StatusError {
  switch (error.reason) {
    case "NotFound":
      return notFound(definition, error.objectName);
    case "AlreadyExists":
      return alreadyExists(definition, error.objectName);
    case "Conflict":
      return conflict(definition, error.objectName, modifiedMessage);
    default:
      return error.reason satisfies never;
  }
}

function check(definition: ResourceDefinition, object: ApiObject, old: StoredObject | undefined): void {
  const problems = [...validateName(object, definition), ...definition.strategy.validate(object, old)];
  if (problems.length > 0) throw invalidObject(definition, object.metadata.name, problems);
}

function checkPreconditions(definition: ResourceDefinition, current: StoredObject, wanted: ApiObject): void {
  const { uid, resourceVersion, name } = wanted.metadata;
  if (uid !== undefined && uid !== "" && uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ""}`;
    throw conflict(definition, name, why);
  }
  if (
    resourceVersion !== undefined &&
    resourceVersion !== "" &&
    resourceVersion !== current.metadata.resourceVersion
  ) {
    throw conflict(definition, name);
  }
}

function withStatusOf(current: StoredObject, wanted: ApiObject): ApiObject {
  // Nothing changes what it shares with the current object.
  const next = { ...current, metadata: { ...current.metadata } } as ApiObject;
  if (wanted.status === undefined) delete next.status;
  else next.status = wanted.status;
  return next;
}

function withMainOf(definition: ResourceDefinition, current: StoredObject, wanted: ApiObject): ApiObject {
  const next: ApiObject = { ...wanted, metadata: { ...wanted.metadata } };
  for (const key of ["uid", "resourceVersion", "creationTimestamp", "generation"] as const) {
    delete next.metadata[key];
    if (current.metadata[key] !== undefined) Object.assign(next.metadata, { [key]: current.metadata[key] });
  }
  // Deletion is requested by DELETE only.
  for (const key of ["deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    delete next.metadata[key];
    if (current.metadata[key] !== undefined) Object.assign(next.metadata, { [key]: current.metadata[key] });
  }
  if (definition.hasStatus) {
    delete next.status;
    if (current.status !== undefined) next.status = cloneJson(current.status);
  }
  return next;
}

// A client that sends managed fields means them (kubectl moves ownership so); one that sends none keeps them.
function sentManagedFields(wanted: ApiObject, current: StoredObject): readonly unknown[] | undefined {
  const { managedFields: kept } = current.metadata;
  const { managedFields: sent = kept } = wanted.metadata;
  return sent !== kept && seal(sent, kept) === kept ? kept : sent;
}
