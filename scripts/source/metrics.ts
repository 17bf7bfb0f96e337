// Finds the Prometheus metrics that sources define: objects with a name and a help, and calls that begin with both.
import { type ObjectExpression, type ObjectProperty, type Span, Visitor } from "oxc-parser";
import type { SourceFile } from "./parse.ts";

export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Of the definition; empty where each series names its own. */
  readonly labels: readonly string[];
}

/** Those of one file, in its order. */
export function metricsOf({ text, program }: SourceFile): readonly Metric[] {
  const found: Metric[] = [];
  const prefix = /^(?:export )?const prefix = "([^"]+)"/m.exec(text)?.[1];
  const add = (
    name: Span | undefined,
    help: Span | undefined,
    labels: Span | undefined,
    before: number,
  ): void => {
    if (name === undefined || help === undefined) return;
    const written = stringOf(source(name), prefix);
    const meaning = stringOf(source(help), prefix);
    if (written === undefined || meaning === undefined || !/^plimsoll_\w+$/.test(written)) return;
    found.push({
      name: written,
      type: typeOf(written, text.slice(0, before)),
      help: meaning,
      labels: labels === undefined ? [] : stringsOf(source(labels)),
    });
  };
  new Visitor({
    ObjectExpression(node) {
      add(valueOf(node, "name"), valueOf(node, "help"), valueOf(node, "labelNames"), node.start);
    },
    CallExpression({ arguments: [name, help, labels] }) {
      add(name, help, labels?.type === "ArrayExpression" ? labels : undefined, name?.start ?? 0);
    },
  }).visit(program);
  return found;

  function source({ start, end }: Span): string {
    return text.slice(start, end);
  }
}

function valueOf(node: ObjectExpression, key: string): Span | undefined {
  const property = node.properties.find(
    (one): one is ObjectProperty =>
      one.type === "Property" && one.key.type === "Identifier" && one.key.name === key,
  );
  return property?.value;
}

/** A string, or a template whose only value is the file's prefix. */
function stringOf(written: string, prefix: string | undefined): string | undefined {
  const [, plain] = /^["']([^]*)["']$/.exec(written) ?? [];
  if (plain !== undefined) return plain.replaceAll(/["'] \+\s+["']/g, "");
  const [, template] = /^`([^`]*)`$/.exec(written) ?? [];
  if (template === undefined || prefix === undefined) return undefined;
  const filled = template.replaceAll(`\${prefix}`, prefix);
  return filled.includes("${") ? undefined : filled;
}

function stringsOf(written: string): readonly string[] {
  return [...written.matchAll(/"([^"]+)"/g)].map(([, label = ""]) => label);
}

/** Counters end in _total, as OpenMetrics has it; what is called before the definition says whether it is a histogram. */
function typeOf(name: string, before: string): Metric["type"] {
  if (name.endsWith("_total")) return "counter";
  return /histogram\(\s*$/i.test(before) ? "histogram" : "gauge";
}
