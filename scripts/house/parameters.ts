// Counts parameters, and those that a function only passes on.
import type { SourceFile } from "../source/parse.ts";
import { type FunctionNode, functionsOf, type Node, parameterNames, walk } from "../source/walk.ts";

export interface ParameterCount {
  readonly used: number;
  /** Every use is an argument of a call, or a property of an object that is written in place. */
  readonly onlyPassedOn: number;
}

/** Counts the names that parameters of functions bind and that the function's body mentions. */
export function countParameters({ program }: SourceFile): ParameterCount {
  const uses = functionsOf(program).flatMap((node) => parameterNames(node).map((name) => usesOf(node, name)));
  const used = uses.filter((found) => found.length > 0);
  return {
    used: used.length,
    onlyPassedOn: used.filter((found) => found.every((isPassed) => isPassed)).length,
  };
}

/** Whether each mention of a name in a function's body passes it on. */
function usesOf({ body }: FunctionNode, name: string): readonly boolean[] {
  const found: boolean[] = [];
  if (body === null) return found;
  walk(body, (node, parents) => {
    const parent = parents.at(-1);
    if (node.type !== "Identifier" || node.name !== name) return;
    if (parent !== undefined && isLabel(node, parent)) return;
    found.push(parent !== undefined && isPassedOn(node, parent));
  });
  return found;
}

/** A property's name, not a mention of the variable. */
function isLabel(node: Node, parent: Node): boolean {
  if (parent.type === "MemberExpression") return parent.property === node && !parent.computed;
  return parent.type === "Property" && parent.key === node && !parent.computed;
}

function isPassedOn(node: Node, parent: Node): boolean {
  if (parent.type === "CallExpression" || parent.type === "NewExpression") return parent.callee !== node;
  return parent.type === "Property" && parent.value === node;
}

/** Lines of parameters with a name that says nothing. */
export function parametersNamed(name: string, { program }: SourceFile): number {
  return functionsOf(program).filter((node) => parameterNames(node).includes(name)).length;
}
