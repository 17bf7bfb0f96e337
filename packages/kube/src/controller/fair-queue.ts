import { getOrAdd } from "@plimsoll/component-base";

/**
 * What waits, in one line for each namespace. Namespaces are served round-robin, so that a line delays no other by more than its turn.
 * All methods are O(1), but for the namespaces that `shift` has to skip.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** Appends the item; it must not be in the queue. */
  push(namespace: string, item: T): void;
  /** Whether the item was in the queue. */
  remove(item: T): boolean;
  /** Removes and returns the first item of the next namespace that may be served; undefined when there is none. */
  shift(mayServe?: (namespace: string) => boolean): T | undefined;
}

interface Line<T> {
  readonly namespace: string;
  readonly nodes: List<Node<T>>;
  /** Of its turn. */
  left: number;
  endsAtMs: number;
}

interface Node<T> {
  readonly item: T;
  readonly line: Linked<Line<T>>;
}

/** How much of a namespace is served before the next one. */
export interface Turn {
  readonly items: number;
  /** From the first of them on. */
  readonly ms: number;
  readonly nowMs: () => number;
}

const noTurn = { left: 0, endsAtMs: 0 };
const oneItem: Turn = { items: 1, ms: 0, nowMs: () => 0 };

export function createFairQueue<T>(turn = oneItem): FairQueue<T> {
  const nodes = new Map<T, Linked<Node<T>>>();
  const lineOf = new Map<string, Linked<Line<T>>>();
  /** None is empty; the first is the next to be served. */
  const lines = createList<Line<T>>();

  function take(node: Linked<Node<T>>): void {
    const { line, item } = node.value;
    nodes.delete(item);
    line.value.nodes.remove(node);
    if (line.value.nodes.first !== undefined) return;
    lines.remove(line);
    lineOf.delete(line.value.namespace);
  }

  function isLastOfTurn(line: Line<T>): boolean {
    const nowMs = turn.nowMs();
    if (line.left === 0) Object.assign(line, { left: turn.items, endsAtMs: nowMs + turn.ms });
    line.left = nowMs > line.endsAtMs ? 0 : line.left - 1;
    return line.left === 0;
  }

  return {
    get size() {
      return nodes.size;
    },
    push(namespace, item) {
      const line = getOrAdd(lineOf, namespace, () =>
        lines.append({ namespace, nodes: createList(), ...noTurn }),
      );
      nodes.set(item, line.value.nodes.append({ item, line }));
    },
    remove(item) {
      const node = nodes.get(item);
      if (node !== undefined) take(node);
      return node !== undefined;
    },
    shift(mayServe = () => true) {
      for (let line = lines.first; line !== undefined; line = line.next) {
        const node = line.value.nodes.first;
        if (node === undefined || !mayServe(line.value.namespace)) continue;
        take(node);
        if (isLastOfTurn(line.value) && line.value.nodes.first !== undefined) lines.moveToEnd(line);
        return node.value.item;
      }
      return undefined;
    },
  };
}

/** A doubly linked list: a Map in order of insertion would walk over the slots of what was removed at its head. */
interface List<V> {
  readonly first: Linked<V> | undefined;
  append(value: V): Linked<V>;
  remove(node: Linked<V>): void;
  moveToEnd(node: Linked<V>): void;
}

interface Linked<V> {
  readonly value: V;
  previous: Linked<V> | undefined;
  next: Linked<V> | undefined;
}

function createList<V>(): List<V> {
  let first: Linked<V> | undefined;
  let last: Linked<V> | undefined;

  function link(node: Linked<V>): void {
    node.previous = last;
    node.next = undefined;
    if (last === undefined) first = node;
    else last.next = node;
    last = node;
  }

  function unlink({ previous, next }: Linked<V>): void {
    if (previous === undefined) first = next;
    else previous.next = next;
    if (next === undefined) last = previous;
    else next.previous = previous;
  }

  return {
    get first() {
      return first;
    },
    append(value) {
      const node: Linked<V> = { value, previous: undefined, next: undefined };
      link(node);
      return node;
    },
    remove: unlink,
    moveToEnd(node) {
      unlink(node);
      link(node);
    },
  };
}
