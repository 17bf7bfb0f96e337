// Finds circles in a graph: groups of nodes that all lead to each other.

/** Strongly connected groups of more than one node, and nodes that lead to themselves (Tarjan). */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const circles: string[][] = [];
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return circles;

  function visit(node: string): void {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        lower(node, low.get(next));
      } else if (onStack.has(next)) {
        lower(node, index.get(next));
      }
    }
    if (low.get(node) === index.get(node)) close(node);
  }

  function lower(node: string, value: number | undefined): void {
    low.set(node, Math.min(low.get(node) ?? 0, value ?? 0));
  }

  function close(node: string): void {
    const group = stack.splice(stack.indexOf(node));
    for (const member of group) onStack.delete(member);
    if (group.length > 1 || graph.get(node)?.includes(node)) circles.push(group.sort());
  }
}
