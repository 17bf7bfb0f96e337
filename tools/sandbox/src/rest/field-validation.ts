// Validates fields by the schema of their kind, as fieldValidation requests.
import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { invalid, invalidObject, notSupported } from "../errors/field-problem.ts";
import { badRequest, StatusError } from "../errors/status-error.ts";
import { dropUnknown, modelOf, unknownOfSchema } from "../resources/builtin-fields.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { isRecord } from "../storage/json-value.ts";
import type { ApiRequest } from "./api-context.ts";
import { mediaType, textOf } from "./request-body.ts";

type Directive = "Ignore" | "Warn" | "Strict";

/**
 * Drops fields that a kind does not have. With fieldValidation=Strict they are refused, as fields that are written
 * twice are; with Warn, the default, they come back as warnings. Types of values are checked in custom resources only.
 */
export function validateFields(
  object: ApiObject,
  definition: ResourceDefinition,
  request: ApiRequest,
): readonly string[] {
  const directive = directiveOf(request, request.method === "POST" ? "CreateOptions" : "UpdateOptions");
  const unknown = dropUnknownFields(object, definition);
  if (directive !== "Strict") return directive === "Warn" ? unknown : [];
  const type = mediaType(request.headers["content-type"]);
  const isJson = type === "" || type === "application/json";
  const problems = isJson ? [...unknown, ...duplicateFields(textOf(request.body))] : unknown;
  if (problems.length === 0) return [];
  const { kind, version } = definition;
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${strictText(problems)}`,
  );
}

/** The same for what a patch makes of an object. `patch`: a strategic merge patch, which errors then show. */
export function validatePatched(
  object: ApiObject,
  definition: ResourceDefinition,
  input: { readonly request: ApiRequest; readonly patch: unknown },
): readonly string[] {
  const directive = directiveOf(input.request, "PatchOptions");
  const text = input.patch === undefined ? JSON.stringify(object) : goText(input.patch);
  const unknown = dropUnknownFields(object, definition);
  if (directive === "Strict" && unknown.length > 0)
    throw invalidObject({ group: "", kind: "" }, "", [invalid("patch", text, strictText(unknown))]);
  return directive === "Warn" ? unknown : [];
}

/** Server-side apply knows no other way than to refuse. */
export function validateApplied(configuration: ApiObject, definition: ResourceDefinition): void {
  const [first] = [...unknownFields(configuration, definition)].sort((a, b) => depthOf(a) - depthOf(b));
  if (first === undefined) return;
  const { namespace = "", name } = configuration.metadata;
  const what = `${namespace}/${name}; ${configuration.apiVersion}, Kind=${definition.kind}`;
  throw new StatusError({
    code: 500,
    reason: "",
    message: `failed to create typed patch object (${what}): .${first}: field not declared in schema`,
  });
}

function dropUnknownFields(object: ApiObject, definition: ResourceDefinition): readonly string[] {
  return unknownFields(object, definition).map((path) => `unknown field ${JSON.stringify(path)}`);
}

function unknownFields(object: ApiObject, definition: ResourceDefinition): readonly string[] {
  if (definition.custom === undefined) return dropUnknown(object, modelOf(definition));
  // What else a schema does not have is dropped when the object is stored.
  const metadata = dropUnknown(object.metadata, "V1ObjectMeta", "metadata");
  return [...metadata, ...unknownOfSchema(object, definition.custom.openApiSchema)].sort();
}

function directiveOf(request: ApiRequest, options: string): Directive {
  const text = request.query.get("fieldValidation") ?? "";
  if (text === "") return "Warn";
  if (text === "Ignore" || text === "Warn" || text === "Strict") return text;
  const problem = notSupported("fieldValidation", text, ["", "Ignore", "Strict", "Warn"]);
  throw invalidObject({ group: "meta.k8s.io", kind: options }, "", [problem]);
}

function strictText(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(", ")}`;
}

function depthOf(path: string): number {
  return path.split(".").length;
}

function duplicateFields(json: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, `${path}[${index}]`);
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = String(isScalar(key) ? key.value : key);
      const under = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) found.push(`duplicate field ${JSON.stringify(under)}`);
      seen.add(name);
      visit(value, under);
    }
  };
  visit(parseDocument(json, { uniqueKeys: false }).contents, "");
  return found;
}

/** As Go prints what JSON decodes to. */
function goText(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isRecord(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(" ")}]`;
}
