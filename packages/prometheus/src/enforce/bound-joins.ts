// Bounds the text that a join copies: group_left and group_right give it to every series of the other side.
import type { SyntaxNode } from "@lezer/common";
import { labelText, quoteString } from "../matcher.ts";
import { partsOf } from "./cost/arguments.ts";
import { createFigures } from "./cost/figures.ts";
import { type Join, joinOf } from "./cost/join.ts";
import type { Costing } from "./cost/label-functions.ts";
import { boundOf, type LabelText } from "./cost/label-text.ts";
import { labelsOf } from "./cost/labels-of.ts";
import { parseStrictly } from "./parse.ts";
import type { EnforcedQuery } from "./result.ts";
import { suffixNames } from "./time.ts";

/** Names of Kubernetes objects have at most as many characters. */
export const maxJoinedCharacters = 253;

/**
 * The query with each "one" side reduced to the labels that its join uses, and with labels of more than 253 characters
 * left out of what is copied. Servers copy all labels of that side for every series of the other side, whether they are
 * named in group_left or not.
 *
 * `a * on (pod) group_left (node) b` is `a * on (pod) group_left (node) avg by (pod,node)
 * (label_replace(b,"node","","node","(?s:.{254}.*)"))`.
 *
 * Series of the "one" side that differ in other labels only become their mean; a server would refuse the query.
 */
export function boundJoins({ query }: Pick<EnforcedQuery, "query">): string {
  const costing: Costing = { query, figures: createFigures(), evaluationsAt: new Map() };
  const wraps: Wrap[] = [];
  const cursor = parseStrictly(query).cursor();
  do {
    const wrap = cursor.name === "BinaryExpr" ? wrapIn(costing, cursor.node) : undefined;
    if (wrap !== undefined) wraps.push(wrap);
  } while (cursor.next());
  return wrapped(query, wraps);
}

interface Wrap {
  readonly from: number;
  readonly to: number;
  readonly before: string;
  readonly after: string;
}

function wrapIn(costing: Costing, node: SyntaxNode): Wrap | undefined {
  const join = joinOf(costing.query, node);
  if (join?.grouped === undefined) return undefined;
  const one = join.grouped.isLeftMany ? join.right : join.left;
  const { before, after } = textAround(labelsOf(costing, one), join.grouped);
  if (after === "") return undefined;
  return { from: one.from, to: one === join.right ? endOf(node) : one.to, before, after };
}

type Grouped = NonNullable<Join["grouped"]>;

function textAround(text: LabelText, grouped: Grouped): { readonly before: string; readonly after: string } {
  const dropped = aggregationOf(text, grouped);
  const long = grouped.labels.filter(
    (label) => !isMatched(grouped, label) && boundOf(text, label).copies.size > 0,
  );
  const pattern = quoteString(`(?s:.{${maxJoinedCharacters + 1}}.*)`);
  const replaced = [...new Set(long)].map(
    (label) => `,${quoteString(label)},"",${quoteString(label)},${pattern})`,
  );
  return {
    before: `${dropped}${"label_replace(".repeat(replaced.length)}`,
    after: `${replaced.join("")}${dropped === "" ? "" : ")"}`,
  };
}

/** Whether both sides have the same text in a label. */
function isMatched({ isOn, matching }: Grouped, label: string): boolean {
  return matching.includes(label) === isOn;
}

/** What takes away the labels that a join does not use; empty when there are none. */
function aggregationOf(text: LabelText, { isOn, matching, labels }: Grouped): string {
  const used = isOn ? [...new Set([...matching, ...labels])] : labels;
  if (!isOn) {
    const hasText = (label: string): boolean => boundOf(text, label).copies.size > 0;
    const unused = matching.filter((label) => !used.includes(label) && hasText(label));
    // `without ()` takes away the name of the metric.
    return unused.length > 0 || hasText("__name__") ? `avg without (${listed(unused)}) (` : "";
  }
  const known = [...text.bounds].filter(([, { copies }]) => copies.size > 0).map(([label]) => label);
  const isReduced = !text.hasOthers && known.every((label) => used.includes(label));
  return isReduced ? "" : `avg by (${listed(used)}) (`;
}

function listed(labels: readonly string[]): string {
  return labels.map(labelText).join(",");
}

/** The grammar has `a * b offset 5m` as an offset of the product, where it is one of `b`. */
function endOf(operation: SyntaxNode): number {
  let [end, at] = [operation.to, operation];
  for (let parent = at.parent; parent !== null; parent = at.parent) {
    const parts = partsOf(parent);
    const isSuffixed = suffixNames.includes(parent.name) && parts[0]?.from === at.from;
    const isLast = ["BinaryExpr", "UnaryExpr"].includes(parent.name) && parts.at(-1)?.from === at.from;
    if (!isSuffixed && !isLast) break;
    if (isSuffixed) end = parent.to;
    at = parent;
  }
  return end;
}

/** Of two that begin in one place the outer one is longer. */
function wrapped(query: string, wraps: readonly Wrap[]): string {
  const edges = wraps.flatMap(({ from, to, before, after }) => [
    { at: from, text: before, order: -to, isEnd: false },
    { at: to, text: after, order: -from, isEnd: true },
  ]);
  // What ends in a place is before what begins there.
  const inOrder = edges.toSorted(
    (one, other) => one.at - other.at || Number(other.isEnd) - Number(one.isEnd) || one.order - other.order,
  );
  let [text, at] = ["", 0];
  for (const edge of inOrder) {
    text += query.slice(at, edge.at) + edge.text;
    at = edge.at;
  }
  return text + query.slice(at);
}
