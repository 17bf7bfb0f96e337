// Reads files of YAML or JSON into objects that know their places in the file.
import { type Fields, fieldsOf, isFields, type Remark } from "@plimsoll/core/internal/values";
import { type Document, isAlias, isMap, isSeq, type Node } from "yaml";
import { type At, parse } from "./parse.ts";
import type { ConvertProblem } from "./problem.ts";

/** One object of the input: a document, or an item of a List in one. */
export interface SourceObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object as data; aliases and merge keys are resolved. */
  readonly value: Fields;
  /** The same with its comments, for a converter that keeps the shape. */
  readonly document: Document;
  readonly node: Node;
  /** The place of its path, or of the nearest parent that is there. */
  locate(finding: Remark): ConvertProblem;
}

/** A file, with its name in messages. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export interface Sources {
  readonly objects: readonly SourceObject[];
  readonly problems: readonly ConvertProblem[];
}

/** Of the syntax of a document: what follows the first ones follows from them. */
const maxErrors = 5;

/** Reads a text of one or more YAML documents (or JSON) into its objects. Empty documents are passed over. */
export function readSources(text: string, file: string): Sources {
  const { documents, locator, template } = parse(text, file);
  if (template !== undefined) return { objects: [], problems: [template] };
  const objects: SourceObject[] = [];
  const problems: ConvertProblem[] = [];
  for (const [index, document] of documents.entries()) {
    const at = locator(index + 1);
    const errors = document.errors.slice(0, maxErrors).map((error) => syntaxProblem(error, at));
    problems.push(...errors);
    if (errors.length > 0 || document.contents === null) continue;
    const read = objectsOf(document, at);
    objects.push(...read.objects);
    problems.push(...read.problems);
  }
  return { objects, problems };
}

/** A document that is not an object of a cluster, such as settings: its value, with the places of its fields. */
export type PlainDocument =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** With its comments; undefined where the text is empty. */
      readonly document: Document | undefined;
      readonly locate: (finding: Remark) => ConvertProblem;
    }
  | { readonly ok: false; readonly problems: readonly ConvertProblem[] };

/** The first document of a text; an empty text has the value null. */
export function readPlainDocument(text: string, file: string): PlainDocument {
  const { documents, locator, template } = parse(text, file);
  if (template !== undefined) return { ok: false, problems: [template] };
  const [document, another] = documents;
  const at = locator(1);
  const problems = (document?.errors ?? []).slice(0, maxErrors).map((error) => syntaxProblem(error, at));
  const read = document === undefined || problems.length > 0 ? { value: null } : dataOf(document);
  if ("finding" in read) problems.push({ ...at(0), ...read.finding });
  if (another !== undefined) {
    const remedy = "leave one of them";
    problems.push({ ...at(another.range?.[0] ?? 0), path: "", message: "is a second document", remedy });
  }
  if (problems.length > 0) return { ok: false, problems };
  const root = document?.contents ?? undefined;
  return {
    ok: true,
    value: "value" in read ? (read.value ?? null) : null,
    document,
    locate: (finding) => {
      const node =
        document === undefined || root === undefined ? undefined : nearest(root, finding.path, document);
      return { ...at(node?.range?.[0] ?? root?.range?.[0] ?? 0), ...finding };
    },
  };
}

function syntaxProblem({ pos, message, code }: Document["errors"][number], at: At): ConvertProblem {
  const place = { ...at(pos[0]), path: "" };
  if (code === "DUPLICATE_KEY")
    return { ...place, message: "has a key twice", remedy: "remove one: kubectl applies the last" };
  return {
    ...place,
    message: `is not YAML: ${message.split(" at line ")[0] ?? message}`,
    remedy: "correct the syntax",
  };
}

function objectsOf(document: Document, at: At): Sources {
  const read = dataOf(document);
  const root = document.contents;
  if ("finding" in read)
    return { objects: [], problems: [{ ...at(root?.range?.[0] ?? 0), ...read.finding }] };
  const { value } = read;
  if (root === null || value === null) return { objects: [], problems: [] };
  const items = isMap(root) && isList(value) ? root.get("items") : undefined;
  if (!isSeq(items) || !isList(value)) return one({ value, node: root, prefix: "" }, { document, at });
  const found = value.items.map((item, index) => {
    const entry = items.items[index];
    const node = isAlias(entry) ? entry.resolve(document) : entry;
    return one({ value: ofList(item, value), node, prefix: `items[${index}]` }, { document, at });
  });
  return {
    objects: found.flatMap(({ objects }) => objects),
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** Manifests have some ten levels; those of a schema some twenty. */
const maxDepth = 100;

/** The data of a document. Aliases can multiply it beyond any memory, and nesting the calls that read it. */
function dataOf(document: Document): { readonly value: unknown } | { readonly finding: Remark } {
  const refused = (message: string, remedy: string) => ({ finding: { path: "", message, remedy } });
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    if (error instanceof RangeError) return refused(tooDeep, "write it with fewer levels");
    if (!(error instanceof ReferenceError)) throw error;
    return error.message.startsWith("Excessive")
      ? refused("has too many aliases", "write out what they refer to")
      : refused("has an alias without an anchor", "write out what it refers to");
  }
  return depthIsWithin(value, maxDepth) ? { value } : refused(tooDeep, "write it with fewer levels");
}

const tooDeep = `is nested more than ${maxDepth} deep`;

function depthIsWithin(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return left > 0 && Object.values(value).every((inner) => depthIsWithin(inner, left - 1));
}

function one(
  { value, node, prefix }: { readonly value: unknown; readonly node: unknown; readonly prefix: string },
  { document, at }: { readonly document: Document; readonly at: At },
): Sources {
  const root = node as Node;
  const locate = ({ path, ...finding }: Remark): ConvertProblem => ({
    ...at(nearest(root, path, document).range?.[0] ?? root.range?.[0] ?? 0),
    path: [prefix, path].filter((part) => part !== "").join("."),
    ...finding,
  });
  const refused = (...findings: readonly Remark[]): Sources => ({
    objects: [],
    problems: findings.map(locate),
  });
  if (!isFields(value)) {
    const remedy = "write apiVersion, kind, metadata, and spec; render patches first, with kubectl kustomize";
    return refused({ path: "", message: "is not an object", remedy });
  }
  const missing = (["apiVersion", "kind"] as const).filter((key) => typeof value[key] !== "string");
  const remedy = "say what kind of object this is";
  if (missing.length > 0)
    return refused(...missing.map((path) => ({ path, message: "is missing, or no text", remedy })));
  const [apiVersion, kind] = [String(value["apiVersion"]), String(value["kind"])];
  const message = `is not a kind of ${apiVersion}`;
  if (apiVersion.startsWith("autoscaling/") && kind !== "HorizontalPodAutoscaler")
    return refused({ path: "kind", value: kind, message, remedy: "use HorizontalPodAutoscaler" });
  return { objects: [{ apiVersion, kind, value, document, node: root, locate }], problems: [] };
}

function nearest(root: Node, path: string, document: Document): Node {
  let found = root;
  for (const key of keysOf(path)) {
    const holder: unknown = isAlias(found) ? found.resolve(document) : found;
    const next = isMap(holder)
      ? holder.get(key, true)
      : isSeq(holder)
        ? holder.get(Number(key), true)
        : undefined;
    if (typeof next !== "object" || next === null) return found;
    found = next as Node;
  }
  return found;
}

/** A name in quotation marks is one key, whatever is in it. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g)].map(([plain, quoted]) =>
    quoted === undefined ? plain : (JSON.parse(quoted) as string),
  );
}

/** kubectl get -o yaml gives all it found as one List. */
function isList(
  value: unknown,
): value is Fields & { readonly kind: string; readonly items: readonly unknown[] } {
  return (
    isFields(value) &&
    typeof value["kind"] === "string" &&
    value["kind"].endsWith("List") &&
    Array.isArray(value["items"])
  );
}

/** The API server writes both fields once, for the list; kubectl reads them so. */
function ofList(item: unknown, { apiVersion, kind }: Fields & { readonly kind: string }): unknown {
  if (kind === "List" || !isFields(item)) return item;
  return { apiVersion, kind: kind.slice(0, -"List".length), ...item };
}

/** Without one, kubectl takes that of its context, which is the same for all. */
export function namespaceOf({ value }: Pick<SourceObject, "value">): string {
  const { namespace } = fieldsOf(value["metadata"]);
  return typeof namespace === "string" && namespace !== "" ? namespace : "default";
}
