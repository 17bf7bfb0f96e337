// What functions and aggregations that write labels may write.
import type { SyntaxNode } from "@lezer/common";
import { Refused } from "../refused.ts";
import { type RegexCost, readRegex } from "../regex/read.ts";
import { nameOf, stringsOf } from "./arguments.ts";
import type { Figures } from "./figures.ts";
import {
  boundOf,
  eitherText,
  joined,
  type LabelText,
  labelsOfText,
  lengthOf,
  repeated,
  type TextBound,
  totalOf,
  usualLabelBytes,
  withLabel,
} from "./label-text.ts";
import { readReplacement } from "./replacement.ts";

/** What the walk over a query has at hand. */
export interface Costing {
  readonly query: string;
  readonly figures: Figures;
  readonly evaluationsAt: ReadonlyMap<number, number>;
}

/** @param args without the expression. */
export function labelReplace(
  costing: Costing,
  { call, args, text }: { call: SyntaxNode; args: readonly SyntaxNode[]; text: LabelText },
): LabelText {
  const [dst, replacement, src, pattern, ...more] = stringsOf(costing.query, call, args);
  const [, , , patternNode = call] = args;
  if (
    dst === undefined ||
    replacement === undefined ||
    src === undefined ||
    pattern === undefined ||
    more.length > 0
  )
    throw new Refused("Syntax", "label_replace() takes an expression and four strings", call);
  const regex = regexIn(costing, pattern, patternNode);
  const source = boundOf(text, src);
  // Each group is copied whenever an instruction moves on.
  const work = regex.loose * lengthOf(source) * (1 + regex.groupCount / 8) + regex.size;
  costing.figures.add("labelRegexWork", Math.ceil(work), patternNode);
  const { copies, bytes } = readReplacement(replacement, regex);
  const written = repeated(source, copies, bytes + Buffer.byteLength(dst));
  // Where the text does not match, the label stays as it was.
  return writes(costing, call, withLabel(text, dst, eitherText(boundOf(text, dst), written)), written);
}

/** @param args without the expression. */
export function labelJoin(
  costing: Costing,
  { call, args, text }: { call: SyntaxNode; args: readonly SyntaxNode[]; text: LabelText },
): LabelText {
  const [dst, separator, ...sources] = stringsOf(costing.query, call, args);
  if (dst === undefined || separator === undefined)
    throw new Refused("Syntax", "label_join() takes an expression and two strings or more", call);
  const between = Buffer.byteLength(separator) * Math.max(0, sources.length - 1);
  const written = joined(
    sources.map((source) => boundOf(text, source)),
    between + Buffer.byteLength(dst),
  );
  return writes(costing, call, withLabel(text, dst, written), written);
}

/** Digits of the longest float without an exponent. */
const VALUE_BYTES = 330;

/** A label with a number. @param args the label, and more. */
export function valueLabel(
  costing: Costing,
  { call, args, text }: { call: SyntaxNode; args: readonly SyntaxNode[]; text: LabelText },
): LabelText {
  const [label] = stringsOf(costing.query, call, args.slice(0, 1));
  if (label === undefined)
    throw new Refused("Syntax", `${nameOf(costing.query, call)}() takes a label`, call);
  const written = joined([], Buffer.byteLength(label) + VALUE_BYTES);
  return writes(costing, call, withLabel(text, label, written), written);
}

/** Counts what a part has made of the labels. */
export function countTotal({ figures }: Costing, part: SyntaxNode, text: LabelText): LabelText {
  const { copies, bytes } = totalOf(text);
  // Other series of the query may be as they were read.
  figures.most("labelCopies", Math.max(1, copies), part);
  figures.most("labelBytes", bytes, part);
  return text;
}

function writes(costing: Costing, call: SyntaxNode, text: LabelText, written: TextBound): LabelText {
  const evaluations = costing.evaluationsAt.get(call.from) ?? 1;
  costing.figures.add("labelText", Math.ceil(lengthOf(written) * evaluations), call);
  const copied = text.joined > 0 ? labelsOfText(written) : 0;
  if (copied > 0) costing.figures.add("joinedLabels", copied * text.series, call);
  return countTotal(costing, call, { ...text, joined: text.joined + copied });
}

/** Larger than any limit. */
const unreadable: RegexCost = { size: 2 ** 53, loose: 0, groups: [], groupCount: 0 };

/** One that cannot be read has an infinite figure: the server refuses it, and so does whoever sets a limit. */
export function regexIn({ figures }: Costing, pattern: string, node: SyntaxNode): RegexCost {
  const regex = readRegex(pattern);
  figures.add("regexSize", regex?.size ?? Number.POSITIVE_INFINITY, node);
  return regex ?? unreadable;
}

/** Instructions that run for a text of the usual length. */
export function workOn({ loose, size }: RegexCost): number {
  return loose * usualLabelBytes + size;
}
