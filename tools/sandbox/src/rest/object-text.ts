// Objects as JSON text, made once for all responses and watches that send them.
import type { ResourceDefinition } from "../resources/definition.ts";
import type { JsonRecord } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";

const texts = new WeakMap<ResourceDefinition, WeakMap<StoredObject, string>>();

export function apiVersionOf({ group, version }: ResourceDefinition): string {
  return group === "" ? version : `${group}/${version}`;
}

/** A stored object, in the requested version, with its kind. */
export function objectText(definition: ResourceDefinition, object: StoredObject): string {
  return `${typeText(definition)}${fieldsText(definition, object)}}`;
}

/** `head` is what a list has beside its items. */
export function listText(
  definition: ResourceDefinition,
  head: JsonRecord,
  items: readonly StoredObject[],
): string {
  const isCustom = definition.custom !== undefined;
  const parts = items.map((item) =>
    isCustom ? objectText(definition, item) : `{${fieldsText(definition, item).slice(1)}}`,
  );
  return `${JSON.stringify(head).slice(0, -1)},"items":[${parts.join(",")}]}`;
}

function typeText(definition: ResourceDefinition): string {
  return `{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersionOf(definition))}`;
}

/** The fields but kind and apiVersion, each behind a comma: every object has at least its metadata. */
function fieldsText(definition: ResourceDefinition, object: StoredObject): string {
  let known = texts.get(definition);
  if (known === undefined) texts.set(definition, (known = new WeakMap()));
  let text = known.get(object);
  if (text === undefined) {
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = definition.conversion.fromStored(object);
    text = `,${JSON.stringify(rest).slice(1, -1)}`;
    known.set(object, text);
  }
  return text;
}
