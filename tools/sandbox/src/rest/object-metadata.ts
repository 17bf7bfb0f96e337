// Sets metadata of objects that are created.
import { randomInt } from "node:crypto";
import { type FieldProblem, invalid, required } from "../errors/field-problem.ts";
import { badRequest } from "../errors/status-error.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import type { ApiMetadata, ApiObject } from "../storage/api-object.ts";
import { isRecord, type JsonRecord, recordAt, stringAt } from "../storage/json-value.ts";

/** Checks a body's kind and gives it the metadata it must have; 400 when it is for another resource. */
export function asApiObject(body: JsonRecord, definition: ResourceDefinition): ApiObject {
  const apiVersion =
    definition.group === "" ? definition.version : `${definition.group}/${definition.version}`;
  checkType(body, definition, apiVersion);
  const metadata = recordAt(body, "metadata") ?? {};
  for (const key of ["labels", "annotations"]) {
    const map = metadata[key];
    if (map === undefined || map === null || isTextMap(map)) continue;
    throw badRequest(
      `${definition.kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${definition.kind}: ` +
        `metadata.${key} must be a map of text to text`,
    );
  }
  for (const key of ["labels", "annotations", "creationTimestamp"]) {
    if (metadata[key] === null) delete metadata[key];
  }
  return { ...body, apiVersion, kind: definition.kind, metadata: metadata as unknown as ApiMetadata };
}

function checkType(body: JsonRecord, definition: ResourceDefinition, apiVersion: string): void {
  const kind = stringAt(body, "kind") ?? "";
  const version = stringAt(body, "apiVersion") ?? "";
  if (kind !== "" && kind !== definition.kind) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(version || apiVersion)} cannot be handled as a ${definition.kind}: ` +
        `the kind of the object does not match the request`,
    );
  }
  if (version !== "" && version !== apiVersion) {
    throw badRequest(
      `the API version in the data (${version}) does not match the expected API version (${apiVersion})`,
    );
  }
}

/** Puts the object where the URL says it belongs; 400 when it says otherwise itself. */
export function place(
  object: ApiObject,
  definition: ResourceDefinition,
  at: { namespace: string | undefined; name?: string },
): void {
  const { metadata } = object;
  if (!definition.namespaced) delete metadata.namespace;
  else {
    if (
      metadata.namespace !== undefined &&
      metadata.namespace !== "" &&
      metadata.namespace !== at.namespace
    ) {
      throw badRequest(
        "the namespace of the provided object does not match the namespace sent on the request",
      );
    }
    if (at.namespace !== undefined) metadata.namespace = at.namespace;
  }
  if (at.name === undefined) return;
  if (metadata.name !== undefined && metadata.name !== "" && metadata.name !== at.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${at.name})`,
    );
  }
  metadata.name = at.name;
}

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The five random characters that complete a generateName. */
export function randomSuffix(): string {
  return Array.from({ length: 5 }, () => suffixAlphabet.charAt(randomInt(suffixAlphabet.length))).join("");
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const labelNamed = new Set(["namespaces", "services"]);

export function validateName(object: ApiObject, definition: ResourceDefinition): readonly FieldProblem[] {
  const name = object.metadata.name;
  if (name === undefined || name === "")
    return [required("metadata.name", "name or generateName is required")];
  // Roles and their bindings carry names like `system:node`.
  if (definition.group === "rbac.authorization.k8s.io") {
    return /[/%]/.test(name) ? [invalid("metadata.name", name, "may not contain '/'")] : [];
  }
  if (definition.resource === "apiservices") return [];
  if (labelNamed.has(definition.storage)) {
    return label.test(name) && name.length <= 63 ? [] : [invalid("metadata.name", name, labelMessage)];
  }
  return subdomain.test(name) && name.length <= 253 ? [] : [invalid("metadata.name", name, subdomainMessage)];
}

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

function isTextMap(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((item) => typeof item === "string");
}
