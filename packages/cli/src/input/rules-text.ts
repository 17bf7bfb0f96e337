// Rules where users of prometheus-adapter keep them: in a ConfigMap, or in the values of its chart.
import {
  isCollection,
  isMap,
  isScalar,
  type Pair,
  parseAllDocuments,
  Scalar,
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

/** Keys of the chart's `rules`, and what they are in a rules file. */
const keysOfChart = new Map([
  ["custom", "rules"],
  ["external", "externalRules"],
  ["resource", "resourceRules"],
]);

const keysOfFile = /^\s*"?(?:rules|externalRules|resourceRules)"?\s*:/m;

/**
 * The rules in a text. All else is blank, so that positions stay right. A text with neither a ConfigMap nor values comes back
 * as it is. @throws CliError for objects without rules, and for two sets of rules
 */
export function rulesTextOf(text: string, file: string): string {
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return text;
  const found: (readonly Stretch[] | string)[] = [];
  for (const document of documents)
    visit(document, {
      Map(_, map) {
        found.push(...(map.get("kind") === "ConfigMap" ? inConfigMap(map, text) : inValues(map)));
      },
    });
  const [first] = found;
  if (first === undefined && documents.some((document) => document.has("kind")))
    throw new CliError(
      `${file} has objects, but no ConfigMap with rules: check autoscalers with plimsoll doctor -f`,
    );
  if (found.length > 1)
    throw new CliError(
      `${file} has rules in ${found.length} places: keep one of them, or check each in a file`,
    );
  return first === undefined ? text : typeof first === "string" ? first : without(text, first);
}

function inConfigMap(map: YAMLMap, text: string): (readonly Stretch[] | string)[] {
  const data = map.get("data");
  const values = isMap(data) ? data.items.map(({ value }) => value) : [];
  return values.flatMap((value): (readonly Stretch[] | string)[] => {
    if (!isScalar(value) || typeof value.value !== "string" || !keysOfFile.test(value.value)) return [];
    const { range, type } = value;
    // The lines of a block are those of its text, only further to the right.
    if (type !== Scalar.BLOCK_LITERAL || range == null) return [value.value];
    return [[{ from: text.indexOf("\n", range[0]), to: range[1] }]];
  });
}

function inValues(map: YAMLMap): (readonly Stretch[])[] {
  const rules = map.get("rules");
  return isMap(rules) && ["default", ...keysOfChart.keys()].some((key) => rules.has(key))
    ? [rules.items.flatMap(ofPair)]
    : [];
}

/** The chart leaves out what is empty. */
function ofPair({ key, value }: Pair): readonly Stretch[] {
  const name = isScalar(key) ? keysOfChart.get(String(key.value)) : undefined;
  if (name === undefined || !isScalar(key) || !isCollection(value) || value.items.length === 0) return [];
  const [from, keyEnd = 0] = key.range ?? [];
  const [, to = 0] = value.range ?? [];
  return from === undefined
    ? []
    : [
        { from, to: keyEnd, key: name },
        { from: keyEnd, to },
      ];
}

function without(text: string, kept: readonly Stretch[]): string {
  let [masked, at] = ["", 0];
  for (const { from, to, key } of kept) {
    masked += text.slice(at, from).replaceAll(/[^\n]/g, " ") + (key ?? text.slice(from, to));
    at = to;
  }
  return masked;
}
