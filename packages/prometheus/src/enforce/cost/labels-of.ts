// Goes through a query once: how long its labels may become, and what its functions and aggregations cost.
import type { SyntaxNode } from "@lezer/common";
import { Refused } from "../refused.ts";
import { matchersOf } from "../selectors.ts";
import { argumentsOf, groupingOf, numberOf, partsOf } from "./arguments.ts";
import { type Join, joinOf } from "./join.ts";
import { type Costing, countTotal, labelJoin, labelReplace, valueLabel } from "./label-functions.ts";
import {
  boundOf,
  either,
  joined,
  type LabelText,
  noLabels,
  onlyLabels,
  ownLabels,
  withLabel,
  withoutLabels,
} from "./label-text.ts";

/** As deep as the tree, which the limits bound before it is parsed. @throws Refused */
export function labelsOf(costing: Costing, node: SyntaxNode): LabelText {
  if (node.name === "VectorSelector") return ownLabels;
  if (node.name === "FunctionCall") return ofCall(costing, node);
  if (node.name === "AggregateExpr") return ofAggregation(costing, node);
  if (node.name === "BinaryExpr") return ofOperation(costing, node);
  return eitherOf(costing, partsOf(node));
}

function eitherOf(costing: Costing, nodes: readonly SyntaxNode[]): LabelText {
  return nodes.map((node) => labelsOf(costing, node)).reduce(either, noLabels);
}

function ofCall(costing: Costing, call: SyntaxNode): LabelText {
  const name = call.getChild("FunctionIdentifier")?.firstChild?.name;
  const args = argumentsOf(call);
  const [first, ...rest] = args;
  if (name === "Absent" || name === "AbsentOverTime") return ofAbsent(costing, args);
  if (first === undefined) return noLabels;
  if (name === "LabelReplace")
    return labelReplace(costing, { call, args: rest, text: labelsOf(costing, first) });
  if (name === "LabelJoin") return labelJoin(costing, { call, args: rest, text: labelsOf(costing, first) });
  if (name !== "HistogramQuantiles") return eitherOf(costing, args);
  return histogramQuantiles(costing, call, args);
}

/** One series, with a label for each text that its selector asks for. */
function ofAbsent(costing: Costing, args: readonly SyntaxNode[]): LabelText {
  const selectors = args.flatMap(selectorsIn);
  const matchers = selectors.flatMap((selector) => matchersOf(costing.query, selector));
  const written = matchers
    .filter(({ operator }) => operator === "=")
    .reduce(
      (text, { label, value }) =>
        withLabel(text, label, joined([boundOf(text, label)], Buffer.byteLength(label + value))),
      ownLabels,
    );
  return either(eitherOf(costing, args), written);
}

function selectorsIn(node: SyntaxNode): readonly SyntaxNode[] {
  return node.name === "VectorSelector" ? [node] : partsOf(node).flatMap(selectorsIn);
}

/** Prometheus takes the label second and at most ten quantiles, VictoriaMetrics takes it first and any number. */
function histogramQuantiles(costing: Costing, call: SyntaxNode, args: readonly SyntaxNode[]): LabelText {
  const label = args.filter(({ name }) => name === "StringLiteral");
  const text = valueLabel(costing, { call, args: label, text: eitherOf(costing, args) });
  const series = text.series * (args.length - 2);
  costing.figures.most("quantiles", series, call);
  return { ...text, series };
}

const selections = ["Topk", "Bottomk", "LimitK"];

function ofAggregation(costing: Costing, node: SyntaxNode): LabelText {
  const operation = node.getChild("AggregateOp")?.firstChild?.name ?? "";
  const args = argumentsOf(node);
  const text = eitherOf(costing, args);
  const grouping = groupingOf(costing.query, node);
  if (operation === "LimitRatio") return text;
  if (selections.includes(operation)) {
    if (!grouping.isBy || grouping.labels.length > 0) countGroupedK(costing, node);
    return text;
  }
  const grouped = grouping.isBy ? onlyLabels(text, grouping.labels) : withoutLabels(text, grouping.labels);
  if (operation !== "CountValues") return grouped;
  const steps = costing.evaluationsAt.get(node.from) ?? 1;
  if (steps > 1) costing.figures.add("countValuesSteps", steps, node);
  return valueLabel(costing, { call: node, args, text: grouped });
}

function countGroupedK({ query, figures, evaluationsAt }: Costing, node: SyntaxNode): void {
  const k = numberOf(query, argumentsOf(node)[0] ?? node) ?? Number.POSITIVE_INFINITY;
  figures.most("groupedK", k, node);
  const steps = evaluationsAt.get(node.from) ?? 1;
  if (steps > 1) figures.add("groupedKSteps", k * steps, node);
}

/** The bounds of a join keep the name of a metric with `on` only. */
function refuseName(node: SyntaxNode, grouped: Join["grouped"]): void {
  if (grouped === undefined || grouped.isOn || !grouped.labels.includes("__name__")) return;
  throw new Refused("Unsupported", "__name__ cannot be copied with ignoring: use on", node);
}

function ofOperation(costing: Costing, node: SyntaxNode): LabelText {
  const join = joinOf(costing.query, node);
  if (join === undefined) return noLabels;
  refuseName(node, join.grouped);
  const left = labelsOf(costing, join.left);
  const right = labelsOf(costing, join.right);
  const { grouped } = join;
  const copiedLabels = grouped?.labels.length ?? 0;
  // The labels of the other side may differ at each step, and then the series do.
  const steps = copiedLabels > 0 ? (costing.evaluationsAt.get(node.from) ?? 1) : 1;
  const series = Math.max(left.series, right.series) * steps;
  const joined = (left.joined + right.joined + copiedLabels) * series;
  if (joined > 0) costing.figures.add("joinedLabels", joined, node);
  if (grouped === undefined) return either(left, right);
  const [many, one] = grouped.isLeftMany ? [left, right] : [right, left];
  const copied = grouped.labels.reduce((text, label) => withLabel(text, label, boundOf(one, label)), many);
  return countTotal(costing, node, { ...copied, series, joined: many.joined + copiedLabels });
}
