// Parses YAML as the API server does, and finds templates that nobody rendered.
import { type Document, isMap, LineCounter, parseAllDocuments, type ScalarTag, type Tags, visit } from "yaml";
import type { ConvertProblem } from "./problem.ts";

/**
 * YAML 1.1 as the API server's reader takes it: 15:45 is text and no number to the base 60, and "e0" is text and not an
 * exponent without a number.
 */
const asKubernetes = {
  version: "1.1",
  customTags: (tags: Tags): Tags =>
    tags
      .filter((tag) => typeof tag === "string" || !("format" in tag) || tag.format !== "TIME")
      .map((tag) => (isExponent(tag) ? { ...tag, test: exponent } : tag)),
} as const;

function isExponent(tag: Tags[number]): tag is ScalarTag {
  return typeof tag !== "string" && "format" in tag && tag.format === "EXP";
}

const exponent = /^[-+]?(?:[0-9][0-9_]*)(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/;

/** The problem of a template that was not rendered; undefined for other texts. */
export function templateProblem(text: string, file: string): ConvertProblem | undefined {
  return parse(text, file).template;
}

/** The place of an offset. */
export type At = (offset: number) => Pick<ConvertProblem, "file" | "document" | "line" | "column">;

/** The documents of a text, empty ones among them, or the problem of a template. */
export function parse(text: string, file: string) {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { ...asKubernetes, lineCounter: lines, logLevel: "error" });
  const documents: readonly Document[] = "empty" in parsed ? [] : parsed;
  const locator =
    (document: number): At =>
    (offset) => {
      const { line, col } = lines.linePos(offset);
      return { file, document, line: Math.max(1, line), column: Math.max(1, col) };
    };
  const offsets = documents.map((document) => templateOffset(document, text));
  const index = offsets.findIndex((offset) => offset !== undefined);
  if (index === -1) return { documents, locator };
  const message = "has a template expression";
  const remedy = "render it first; for a Helm chart, run helm template";
  return {
    documents,
    locator,
    template: { ...locator(index + 1)(offsets[index] ?? 0), path: "", message, remedy },
  };
}

/** Where an expression such as {{ .Values.x }} breaks the syntax, or is the key of a mapping. In quotes it may be meant. */
function templateOffset(document: Document, text: string): number | undefined {
  const [error] = document.errors;
  if (error !== undefined) {
    const [start] = error.pos;
    const line = text.slice(text.lastIndexOf("\n", start - 1) + 1).split("\n", 1);
    return /\{[{%]/.test(line.join("")) ? start : undefined;
  }
  let found: number | undefined;
  visit(document, {
    Pair(_, { key }) {
      if (!isMap(key)) return undefined;
      found = key.range?.[0];
      return visit.BREAK;
    },
  });
  return found;
}
