// Walks a syntax tree.
import { type Node, visitorKeys } from "oxc-parser";

export type { Node };

/** Calls back for a node and for everything below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}

function childrenOf(node: Node): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) => [fields[key]].flat()).filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
