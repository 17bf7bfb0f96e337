// Label and field selectors of requests.
import { messageOf } from "@plimsoll/component-base";
import { parseSelector } from "@plimsoll/core/selector";
import { badRequest } from "../errors/status-error.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import type { StoredObject } from "../storage/stored-object.ts";

export type Selection = (object: StoredObject) => boolean;

/** The label and field selector of a list or watch, as one predicate; 400 when either cannot be parsed. */
export function selectionOf(
  definition: ResourceDefinition,
  query: URLSearchParams,
  name?: string,
): Selection {
  const labels = labelPredicate(query.get("labelSelector") ?? "");
  const fields = fieldPredicate(query.get("fieldSelector") ?? "", definition);
  return (object) =>
    (name === undefined || object.metadata.name === name) && labels(object) && fields(object);
}

function labelPredicate(text: string): Selection {
  if (text === "") return () => true;
  try {
    const selector = parseSelector(text);
    return (object) => selector.matches(object.metadata.labels);
  } catch (error) {
    throw badRequest(messageOf(error));
  }
}

function fieldPredicate(text: string, definition: ResourceDefinition): Selection {
  const terms = text
    .split(",")
    .filter((term) => term.trim() !== "")
    .map((term) => {
      const match = /^([^=!]+)(!=|==|=)(.*)$/.exec(term.trim());
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      return { key: (match[1] ?? "").trim(), equal: match[2] !== "!=", value: match[3] ?? "" };
    });
  if (terms.length === 0) return () => true;
  const known = { ...fieldsOf(emptyObject, definition) };
  for (const { key } of terms) {
    if (!(key in known)) throw badRequest(`field label not supported: ${key}`);
  }
  return (object) => {
    const fields = fieldsOf(object, definition);
    return terms.every(({ key, equal, value }) => (fields[key] === value) === equal);
  };
}

const emptyObject: StoredObject = { metadata: { name: "" } };

function fieldsOf(object: StoredObject, definition: ResourceDefinition): Readonly<Record<string, string>> {
  return {
    "metadata.name": object.metadata.name,
    "metadata.namespace": object.metadata.namespace ?? "",
    ...definition.strategy.selectableFields(object),
  };
}
