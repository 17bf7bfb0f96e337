// Converts the values of prometheus-adapter's chart into those of the chart of Plimsoll.
import { type Fields, fieldsOf, type Remark } from "@plimsoll/core/internal/values";
import { Document, isMap, isScalar, type Node, type Pair, visit, type YAMLMap } from "yaml";
import type { ConvertProblem } from "../../manifests/problem.ts";
import { readPlainDocument } from "../../manifests/source.ts";
import { findContradictions } from "./contradictions.ts";
import { hasParts, placeOf } from "./places.ts";

export interface ConvertedValues {
  /** Undefined where there are problems. */
  readonly document: Document | undefined;
  readonly notes: readonly ConvertProblem[];
  readonly problems: readonly ConvertProblem[];
}

/** Blocks that only the chart of Plimsoll has. */
const ours = ["adapter", "autoscaler", "crds", "monitoring", "networkPolicy"];

/** What `helm get values` prints is enough: what is absent has the default of the new chart. */
export function convertValues(text: string, file: string): ConvertedValues {
  const read = readPlainDocument(text, file);
  if (!read.ok) return { document: undefined, notes: [], problems: read.problems };
  const { locate, value } = read;
  const wrong = value === null ? [] : findProblems(value);
  if (wrong.length > 0) return { document: undefined, notes: [], problems: wrong.map(locate) };
  const { isLeftOut, notes: ofOld, problems, replaced } = findContradictions(fieldsOf(value));
  if (problems.length > 0) return { document: undefined, notes: [], problems: problems.map(locate) };
  const { document, notes } = move(read.document, isLeftOut);
  for (const [path, instead] of replaced) document.setIn(path, instead);
  document.setIn(["autoscaler", "enabled"], false);
  const located = [...ofOld, ...notes].map(locate).toSorted((a, b) => a.line - b.line);
  return { document, notes: located, problems: [] };
}

function findProblems(value: unknown): readonly Remark[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [
      { path: "", message: "is not a map of values", remedy: "pass the output of helm get values -o yaml" },
    ];
  }
  const keys = Object.keys(value);
  const found = keys.filter((key) => ours.includes(key));
  if (found.length > 0) {
    const remedy = "the file needs no conversion, or mixes both charts";
    return found.map((path) => ({ path, message: "is a value of Plimsoll's chart", remedy }));
  }
  return keys
    .filter((key) => hasParts(key) && !isMapOrNull((value as Fields)[key]))
    .map((path) => ({
      path,
      message: "is not a map",
      remedy: "write it as in prometheus-adapter's chart",
    }));
}

function isMapOrNull(value: unknown): boolean {
  return value === null || (typeof value === "object" && !Array.isArray(value));
}

/** Each pair with its comments below its new map. */
function move(source: Document | undefined, isLeftOut: (path: readonly string[]) => boolean) {
  const document = new Document({});
  const notes: Remark[] = [];
  const root = source === undefined ? undefined : withoutAliases(source);
  if (source !== undefined) document.commentBefore = source.commentBefore;
  for (const { path, pair } of pairsOf(root)) {
    const value: unknown = (pair.value as Node | null)?.toJS(source ?? document) ?? null;
    if (isLeftOut(path)) continue;
    const [key = "", field] = path;
    const place = placeOf(key, field, value);
    if (place === undefined) {
      const remedy = "it has no effect there either; check its name";
      notes.push({
        path: path.join("."),
        message: "is left out: prometheus-adapter's chart has no such value",
        remedy,
      });
    } else if ("below" in place) addBelow(document, place.below, pair);
    else if (place.note !== undefined) notes.push({ path: path.join("."), value, ...place.note });
  }
  return { document, notes };
}

function* pairsOf(root: unknown): Generator<{ readonly path: readonly string[]; readonly pair: Pair }> {
  if (!isMap(root)) return;
  keepComment(root, root.commentBefore);
  for (const pair of root.items) {
    const key = nameOf(pair);
    if (!hasParts(key)) yield { path: [key], pair };
    else if (isMap(pair.value)) {
      keepComment(
        pair.value,
        isScalar(pair.key) ? pair.key.commentBefore : undefined,
        pair.value.commentBefore,
      );
      for (const part of pair.value.items) yield { path: [key, nameOf(part)], pair: part };
    }
  }
}

/** Comments of a map whose pairs move one by one go with the first of them. */
function keepComment({ items: [first] }: YAMLMap, ...comments: readonly (string | null | undefined)[]): void {
  if (!isScalar(first?.key)) return;
  const lines = [...comments, first.key.commentBefore].filter((comment) => comment != null);
  if (lines.length > 0) first.key.commentBefore = lines.join("\n");
}

function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function addBelow(document: Document, below: readonly string[], pair: Pair): void {
  if (!document.hasIn(below)) document.setIn(below, document.createNode({}));
  const map = document.getIn(below);
  if (isMap(map)) map.items.push(pair);
}

/** An alias may come before its anchor once pairs have moved, so such a file loses its layout. */
function withoutAliases(source: Document): unknown {
  let has = false;
  visit(source, { Alias: () => void (has = true) });
  return has ? new Document(source.toJS(), { aliasDuplicateObjects: false }).contents : source.contents;
}
