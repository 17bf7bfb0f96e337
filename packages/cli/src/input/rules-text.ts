// Rules where users of prometheus-adapter keep them: in a ConfigMap, or in the values of its chart.
import { isDeepStrictEqual } from "node:util";
import { type Fields, fieldsOf, isFields } from "@plimsoll/core/internal/values";
import { problemText, templateProblem } from "@plimsoll/migration/manifests";
import {
  type Document,
  isMap,
  isScalar,
  parse,
  parseAllDocuments,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
} from "yaml";
import { CliError } from "../seams.ts";

/** A stretch of the text. `key` replaces what stands there. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly key?: string;
}

/** Rules, and where they stand. */
interface Found {
  readonly rules: string;
  readonly place: readonly Stretch[];
}

/** Keys of the chart's `rules`, and what they are in a rules file. */
const keysOfChart = { custom: "rules", external: "externalRules", resource: "resourceRules" };
const keysOfFile = Object.values(keysOfChart);

/** The rules of a text with objects or values, and any other text as it is. @throws CliError for objects without rules, and templates */
export function rulesTextOf(text: string, file: string): string {
  const template = templateProblem(text, file);
  if (template !== undefined) throw new CliError(problemText(template));
  const rules = rulesIn(text, file);
  if (rules === undefined && documentsOf(text).some(isObject))
    throw new CliError(
      `${file} has objects, but no ConfigMap with rules: check autoscalers with plimsoll doctor -f`,
    );
  return rules ?? text;
}

/**
 * The rules of the one ConfigMap, or of the values of a chart. Block-style rules keep their position, with all else blank.
 * Undefined: there are none. @throws CliError for two sets of rules
 */
export function rulesIn(text: string, file: string): string | undefined {
  const documents = documentsOf(text);
  if (documents.some((document) => !isObject(document) && hasRules(document.toJS()))) return undefined;
  const found: Found[] = [];
  for (const document of documents)
    visit(document, {
      Map(_, map) {
        if (map.get("kind") === "ConfigMap") found.push(...inConfigMap(map, text));
        else if (map.has("rules")) found.push(...inValues(map, document));
      },
    });
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.length > 1)
    throw new CliError(
      `${file} has rules in ${found.length} places: keep one of them, or check each in a file`,
    );
  const placed = without(text, first.place);
  return isDeepStrictEqual(parsed(placed), parsed(first.rules)) ? placed : first.rules;
}

/** None when one of them cannot be read. */
function documentsOf(text: string): readonly Document[] {
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return [];
  try {
    for (const document of documents) document.toJS();
    return documents;
  } catch {
    return [];
  }
}

function isObject(document: Document): boolean {
  return isMap(document.contents) && document.has("kind") && document.has("apiVersion");
}

function hasRules(value: unknown): boolean {
  const { rules, ...others } = fieldsOf(value);
  return (rules !== undefined && !isFields(rules)) || keysOfFile.some((key) => others[key] !== undefined);
}

const notYaml = {};

function parsed(text: string): unknown {
  try {
    return parse(text, { logLevel: "silent" });
  } catch {
    return notYaml;
  }
}

/** One that is not YAML is found by its text: what is wrong is said later. */
function isRulesFile(text: string): boolean {
  const value = parsed(text);
  return value === notYaml
    ? /^["']?(?:rules|externalRules|resourceRules)["']?\s*:/m.test(text)
    : hasRules(value);
}

function inConfigMap(map: YAMLMap, text: string): readonly Found[] {
  const data = map.get("data");
  return (isMap(data) ? data.items : []).flatMap(({ value }) => {
    if (!isScalar(value) || typeof value.value !== "string" || !isRulesFile(value.value)) return [];
    const [from = 0, to = 0] = value.type === Scalar.BLOCK_LITERAL ? (value.range ?? []) : [];
    // The lines of a block are those of its text, only further to the right.
    return [{ rules: value.value, place: to === 0 ? [] : [{ from: text.indexOf("\n", from), to }] }];
  });
}

/** The chart leaves out what is empty. */
function inValues(map: YAMLMap, document: Document): readonly Found[] {
  const { rules }: Fields = map.toJS(document);
  if (!isFields(rules) || !["default", ...Object.keys(keysOfChart)].some((key) => key in rules)) return [];
  const kept = Object.entries(keysOfChart).filter(([key]) => Object.keys(rules[key] ?? {}).length > 0);
  const node = map.get("rules");
  const place = (isMap(node) ? node.items : []).flatMap(({ key, value }) => {
    const [, name] = kept.find(([one]) => isScalar(key) && key.value === one) ?? [];
    const [from = 0, keyEnd = 0] = isScalar(key) ? (key.range ?? []) : [];
    const [, to = 0] = (value as Scalar | null)?.range ?? [];
    return name === undefined
      ? []
      : [
          { from, to: keyEnd, key: name },
          { from: keyEnd, to },
        ];
  });
  const file = Object.fromEntries(kept.map(([key, name]) => [name, rules[key]]));
  return [{ rules: kept.length === 0 ? "" : stringify(file), place }];
}

function without(text: string, kept: readonly Stretch[]): string {
  let [masked, at] = ["", 0];
  for (const { from, to, key } of kept) {
    masked += text.slice(at, from).replaceAll(/[^\n]/g, " ") + (key ?? text.slice(from, to));
    at = to;
  }
  return masked;
}
