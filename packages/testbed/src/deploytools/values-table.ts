// Generates the table of chart values.
import { isMap, isScalar, type Pair, parseDocument, visit } from "yaml";

/**
 * A Markdown table of what can be set, from a values file whose entries have a comment that begins with "--" above
 * them. @throws when an entry has none
 */
export function valuesTable(text: string): string {
  const document = parseDocument(text);
  const rows: string[] = [];
  const undescribed: string[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      const path = [...ancestors.filter(isPair), pair].map(({ key }) => keyText(key)).join(".");
      const description = descriptionOf(pair, ancestors.at(-1));
      if (description !== undefined) {
        rows.push(`| \`${path}\` | ${defaultOf(pair)} | ${description.replaceAll("|", "\\|")} |`);
        return visit.SKIP;
      }
      if (!isMap(pair.value) || pair.value.items.length === 0) undescribed.push(path);
      return undefined;
    },
  });
  if (undescribed.length > 0) throw new Error(`values without a description: ${undescribed.join(", ")}`);
  return ["| value | default | |", "| --- | --- | --- |", ...rows, ""].join("\n");

  function defaultOf(pair: Pair): string {
    const value = isAliasOf(pair.value) ?? pair.value;
    const plain = JSON.stringify(document.createNode(value).toJS(document));
    return `\`${plain}\``;
  }

  function isAliasOf(value: unknown): unknown {
    if (typeof value !== "object" || value === null || !("source" in value)) return undefined;
    return isScalar(value) ? undefined : (value as { resolve?(doc: unknown): unknown }).resolve?.(document);
  }
}

/** The comment directly above; for the first entry of a map the parser gives it to the map. */
function descriptionOf(pair: Pair, parent: unknown): string | undefined {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  const isFirst = isMap(parent) && parent.items[0] === pair;
  const comment = own ?? (isFirst ? parent.commentBefore : undefined);
  const [, text] = /(?:^|\n) --([^]*)$/.exec(comment ?? "") ?? [];
  return text?.trim().replaceAll(/\s*\n\s*/g, " ");
}

function isPair(value: unknown): value is Pair {
  return typeof value === "object" && value !== null && "key" in value && "value" in value;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}
