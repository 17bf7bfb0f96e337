// Follows a spec through reconcile: which functions it passes, in how many files, and where the way may end.
import type { Declaration, Named, Names } from "../source/names.ts";
import { type FunctionNode, isFunction, walk } from "../source/walk.ts";

const reconcile = "packages/autoscaler/src/reconcile";

/** Where the way starts, as `file#function`: the loop, and its steps up to the written scale, which it calls as parameters. */
export const starts: readonly string[] = [
  `${reconcile}/reconcile.ts#reconcile`,
  `${reconcile}/observe.ts#observe`,
  `${reconcile}/evaluate/evaluate.ts#evaluate`,
  `${reconcile}/act/act.ts#act`,
];

/** The package that the way is followed through. The others (core, kube, observe, …) are libraries to it. */
const followed = /^packages\/autoscaler\//;

export interface Way {
  /**
   * Where the way goes on in another file: the steps, and the asynchronous functions that are called by name. What only
   * computes a value is a helper beside the way.
   */
  readonly stops: readonly Named[];
  readonly files: number;
  /**
   * Where the way may end early: each `return` but the last, and each `break`, in the file where the way starts. The steps
   * return results, and only that file ends the way by them.
   */
  readonly returns: number;
}

/** The way from the given functions, along calls by name; what is called through a parameter is not followed. */
export function followWay(names: Names, from: readonly string[] = starts): Way {
  const visited = new Map<string, Declaration>();
  const stops = new Map<string, Named>();
  for (const [place, start] of from.entries()) {
    const [path = "", name = ""] = start.split("#");
    if (place > 0) stops.set(start, { path, name });
    enter(names.declarationOf({ path, name }));
  }
  const reached = [...visited.values()];
  const [home = ""] = from[0]?.split("#") ?? [];
  return {
    stops: [...stops.values()],
    files: new Set(reached.map(({ path }) => path)).size,
    returns: reached.reduce(
      (sum, { node, path }) => sum + (path === home && isFunction(node) ? earlyEnds(node) : 0),
      0,
    ),
  };

  function enter(found: Declaration | undefined): void {
    if (found === undefined || !isFunction(found.node) || !followed.test(found.path)) return;
    const key = `${found.path}#${found.name}`;
    if (visited.has(key)) return;
    visited.set(key, found);
    for (const name of callsOf(found.node)) {
      const next = names.declarationOf({ path: found.path, name });
      if (next === undefined || !isFunction(next.node)) continue;
      if (next.path === found.path) enter(next);
      else if (next.node.async) {
        stops.set(`${next.path}#${next.name}`, { path: next.path, name: next.name });
        enter(next);
      }
    }
  }
}

function callsOf(node: FunctionNode): readonly string[] {
  const found = new Set<string>();
  walk(node, (inner) => {
    if (inner.type === "CallExpression" && inner.callee.type === "Identifier") found.add(inner.callee.name);
  });
  return [...found];
}

function earlyEnds(node: FunctionNode): number {
  if (!node.async) return 0;
  const last = node.body?.type === "BlockStatement" ? node.body.body.at(-1) : undefined;
  let found = 0;
  walk(node, (inner, parents) => {
    const inNested = parents.slice(1).some(isFunction);
    if ((inner.type === "ReturnStatement" || inner.type === "BreakStatement") && inner !== last && !inNested)
      found++;
  });
  return found;
}
