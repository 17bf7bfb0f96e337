// Parses a rules file, with positions for messages.
import { closest, distance } from "fastest-levenshtein";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from "yaml";
import type { RuleLive, SourceUse } from "../compile/compiled-rules.ts";
import type { Problem } from "./problem.ts";

/** A place in the rules file: its value, and its position for messages. */
export interface Place {
  readonly path: string;
  readonly node: Node | undefined;
  /** Of an absent value: the mapping that lacks it. */
  readonly within?: Node | undefined;
  /** What a merge had there before: a mapping adds its keys to it. */
  readonly under?: Place;
}

/** Why a text is not PromQL, or no selector of series; undefined when it is. Absent: it is not parsed. */
export interface PromqlSyntax {
  readonly promqlProblem?: (text: string) => string | undefined;
  readonly selectorProblem?: (text: string) => string | undefined;
  /** Of a query over pods. "off": no pod is scraped. */
  readonly liveProblem?: "off" | ((text: string, live: RuleLive) => string | undefined);
}

/** Reads typed values out of a YAML document and collects every problem on the way. */
export interface RulesDocument {
  readonly root: Place;
  readonly problems: Problem[];
  readonly warnings: Problem[];
  /** Where source was called and found a name. */
  readonly sourceUses: SourceUse[];
  readonly syntax: PromqlSyntax;
  /** The fields of a mapping; absent and null are an empty one. Unknown and repeated fields are problems. */
  fields<F extends string>(place: Place, names: readonly F[]): Readonly<Record<F, Place>>;
  /** The keys of a mapping whose keys are free. */
  entries(place: Place): readonly (readonly [key: string, place: Place])[];
  items(place: Place): readonly Place[];
  /** Text; numbers and booleans count as the text they were written as. Absent is "". */
  text(place: Place): string;
  flag(place: Place): boolean | undefined;
  /** Whatever it is. */
  value(place: Place): unknown;
  isAbsent(place: Place): boolean;
  /** The name of a source, recorded with its position; undefined where there is none. */
  source(place: Place, kind: SourceUse["kind"]): string | undefined;
  problem(place: Place, message: string, at?: TextPosition): void;
  warn(place: Place, message: string, at?: TextPosition): void;
}

/** A position within a scalar's text, both from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Opens the first document of a YAML 1.1 text, as prometheus-adapter reads it. */
export function openDocument(source: string, syntax: PromqlSyntax = {}): RulesDocument {
  const lines = new LineCounter();
  const all = parseAllDocuments(source, { version: "1.1", uniqueKeys: false, lineCounter: lines });
  const [first, second] = "empty" in all ? [] : all;
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const locate = (place: Place, message: string, at?: TextPosition): Problem => {
    const offset = ((place.node ?? place.within)?.range?.[0] ?? 0) + inset(source, place.node, at);
    const { line, col } = lines.linePos(offset);
    return { path: place.path, line, column: col, message };
  };
  for (const { message, pos } of first?.errors ?? []) {
    const { line, col } = lines.linePos(pos[0]);
    problems.push({ path: "", line, column: col, message: message.split(/ at line \d+/)[0] ?? message });
  }
  if (second !== undefined) {
    const place = { path: "", node: second.contents ?? undefined };
    warnings.push(locate(place, "only the file's first document is read"));
  }
  const problem: RulesDocument["problem"] = (place, message, at) =>
    void problems.push(locate(place, message, at));
  const resolve = createResolve(first, problem);
  const readers = createReaders(resolve, problem);
  const sourceUses: SourceUse[] = [];
  return {
    root: { path: "", node: first?.contents ?? undefined },
    problems,
    warnings,
    sourceUses,
    syntax,
    problem,
    warn: (place, message, at) => void warnings.push(locate(place, message, at)),
    source(place, kind) {
      const name = readers.text(place).trim();
      if (name === "") return undefined;
      const { path, line, column } = locate(place, "");
      sourceUses.push({ name, kind, path, line, column });
      return name;
    },
    value: (place) => (first === undefined ? undefined : resolve(place)?.toJS(first)),
    ...readers,
  };
}

/** Readers of typed values; a value of another type is a problem. */
function createReaders(
  resolve: Resolve,
  problem: RulesDocument["problem"],
): Pick<RulesDocument, "isAbsent" | "fields" | "entries" | "items" | "text" | "flag"> {
  const keyed = (place: Place): readonly KeyedPlace[] => pairs({ resolve, problem }, place);
  return {
    isAbsent: (place) => isAbsent(resolve(place)),
    fields(place, names) {
      const found = new Map<string, Place>();
      for (const [key, value, keyNode] of keyed(place)) {
        if ((names as readonly string[]).includes(key)) found.set(key, value);
        else problem({ path: value.path, node: keyNode }, unknownField(key, names));
      }
      const pick = (name: string): Place =>
        found.get(name) ?? {
          path: join(place.path, name),
          node: undefined,
          within: place.node ?? place.within,
        };
      return Object.fromEntries(names.map((name) => [name, pick(name)])) as Record<
        (typeof names)[number],
        Place
      >;
    },
    entries: (place) => keyed(place).map(([key, { path, node }]) => [key, { path, node }]),
    items(place) {
      const node = resolve(place);
      if (isAbsent(node)) return [];
      if (!isSeq(node)) {
        problem(place, `expected a list, got ${kindOf(node)}`);
        return [];
      }
      return node.items.map((item, index) => ({ path: `${place.path}[${index}]`, node: item as Node }));
    },
    text(place) {
      const node = resolve(place);
      if (isAbsent(node)) return "";
      if (isScalar(node))
        return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
      problem(place, `expected text, got ${kindOf(node)}`);
      return "";
    },
    flag(place) {
      const node = resolve(place);
      if (isAbsent(node)) return undefined;
      if (isScalar(node) && typeof node.value === "boolean") return node.value;
      problem(place, `expected true or false, got ${kindOf(node)}`);
      return undefined;
    },
  };
}

function createResolve(document: Document | undefined, problem: RulesDocument["problem"]): Resolve {
  const targets = document === undefined ? new Map<Node, Node>() : aliasTargets(document);
  return (place) => {
    if (!isAlias(place.node)) return place.node;
    const target = targets.get(place.node);
    if (target === undefined) problem(place, `no anchor ${place.node.source}`);
    return target;
  };
}

/** The target of each alias: the last node of that name before it. One walk, however many aliases there are. */
function aliasTargets(document: Document): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return targets;
}

type Resolve = (place: Place) => Node | undefined;
type KeyedPlace = readonly [key: string, place: Place, keyNode: Node | undefined];

interface PairsReader {
  readonly resolve: Resolve;
  readonly problem: RulesDocument["problem"];
}

/**
 * Later keys win, those of a merge among them, and a mapping in the place of another adds its keys to it.
 * @upstream gopkg.in/yaml.v2 decode.go#mappingStruct, #merge
 */
function pairs(reader: PairsReader, place: Place, depth = 0): readonly KeyedPlace[] {
  const { resolve } = reader;
  const node = resolve(place);
  if (isAbsent(node)) return [];
  if (!isMap(node)) {
    reader.problem(place, `expected a mapping, got ${kindOf(node)}`);
    return [];
  }
  const found = new Map<string, KeyedPlace>();
  const add = ([name, at, key]: KeyedPlace): void => {
    const under = found.get(name)?.[1];
    found.set(name, [name, under === undefined ? at : { ...at, under }, key]);
  };
  const addAll = (source: Place): void => {
    // A chain of merges longer than any real file is a loop of aliases.
    if (depth <= 20) pairs(reader, source, depth + 1).forEach(add);
  };
  if (place.under !== undefined && isMap(resolve(place.under))) addAll(place.under);
  const own = new Set<string>();
  for (const { key, value } of (node as YAMLMap<Node, Node | null>).items) {
    if (isMergeKey(key)) {
      mergeSources(place, value, resolve).forEach(addAll);
      continue;
    }
    const name = keyText(key);
    const at = { path: join(place.path, name), node: value ?? undefined };
    if (own.has(name))
      reader.problem({ path: at.path, node: key }, `the key ${JSON.stringify(name)} is repeated`);
    own.add(name);
    add([name, at, key]);
  }
  return [...found.values()];
}

/** The first of a list wins, so it comes last. */
function mergeSources(place: Place, value: Node | null, resolve: Resolve): readonly Place[] {
  const at = { path: place.path, node: value ?? undefined };
  const node = resolve(at);
  return isSeq(node)
    ? node.items.toReversed().map((item) => ({ path: place.path, node: item as Node }))
    : [at];
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key)) return false;
  return key.value === "<<" || (typeof key.value === "symbol" && key.value.description === "<<");
}

function keyText(key: Node): string {
  return isScalar(key)
    ? typeof key.value === "string"
      ? key.value
      : (key.source ?? String(key.value))
    : "?";
}

function join(path: string, name: string): string {
  const step = /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
  return path === "" ? step : `${path}.${step}`;
}

function isAbsent(node: Node | undefined): node is undefined {
  return node === undefined || (isScalar(node) && node.value === null);
}

function kindOf(node: Node | undefined): string {
  if (isMap(node)) return "a mapping";
  if (isSeq(node)) return "a list";
  if (isScalar(node)) return JSON.stringify(node.source ?? String(node.value));
  return "nothing";
}

function unknownField(name: string, known: readonly string[]): string {
  const nearest = closest(name, known);
  const isMeant = distance(name, nearest) <= Math.max(2, Math.floor(name.length / 3));
  const hint = isMeant ? `did you mean ${nearest}?` : `use one of ${known.join(", ")}`;
  return `unknown field ${JSON.stringify(name)}: ${hint}`;
}

/** How far into a scalar a position of its text is; 0 where the file spells the text differently. */
function inset(source: string, node: Node | undefined, at: TextPosition | undefined): number {
  if (at === undefined || at.line !== 1 || !isScalar(node) || typeof node.value !== "string") return 0;
  const written = source.slice(node.range?.[0] ?? 0, node.range?.[1] ?? 0);
  const start = written.indexOf(node.value);
  return start < 0 ? 0 : start + at.column - 1;
}
