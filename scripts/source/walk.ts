// Walks a syntax tree and finds its functions and parameters.
import { type Node, visitorKeys } from "oxc-parser";

export type { Node };

export type FunctionNode = Extract<
  Node,
  { type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression" }
>;

/** Calls back for a node and for everything below it, each with its parents, the nearest last. */
export function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => void): void {
  const parents: Node[] = [];
  enter(node);

  function enter(current: Node): void {
    visit(current, parents);
    parents.push(current);
    for (const child of childrenOf(current)) enter(child);
    parents.pop();
  }
}

function childrenOf(node: Node): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) => [fields[key]].flat()).filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Functions with a body, nested ones included. */
export function functionsOf(root: Node): readonly FunctionNode[] {
  const found: FunctionNode[] = [];
  walk(root, (node) => {
    if (isFunction(node) && node.body !== null) found.push(node);
  });
  return found;
}

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

/** The names that the parameters of a function bind, those of a destructured object included. */
export function parameterNames(node: FunctionNode): readonly string[] {
  return node.params.flatMap((parameter) => boundNames(parameter));
}

function boundNames(pattern: Node): readonly string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "AssignmentPattern") return boundNames(pattern.left);
  if (pattern.type === "RestElement") return boundNames(pattern.argument);
  if (pattern.type === "ObjectPattern") {
    return pattern.properties.flatMap((property) =>
      boundNames(property.type === "Property" ? property.value : property),
    );
  }
  if (pattern.type === "ArrayPattern") {
    return pattern.elements.flatMap((element) => (element === null ? [] : boundNames(element)));
  }
  return pattern.type === "TSParameterProperty" ? boundNames(pattern.parameter) : [];
}
