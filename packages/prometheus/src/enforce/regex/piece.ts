// What a part of a regular expression costs: the algebra behind the reader.

/** Larger numbers are all the same: far over any limit. Infinity would make NaN of 0. */
const HUGE = 2 ** 53;

/** A capturing group and those within it. */
export interface Group {
  readonly index: number;
  readonly name: string | undefined;
  readonly groups: readonly Group[];
}

/** A part of a regular expression. Sizes count instructions of Go's program, repetitions expanded. */
export interface Piece {
  readonly size: number;
  /**
   * Instructions that may be active at every character of the text, when the part begins at one place only: `x{0,999}`
   * has none, because each copy belongs to one place; the second part of `x*y?` has all of its own.
   */
  readonly loose: number;
  /** Characters of every match; undefined when they differ. */
  readonly length: number | undefined;
  /** Every match begins with this text. */
  readonly prefix: string;
  /** A match is the prefix and nothing else. */
  readonly isLiteral: boolean;
  readonly groups: readonly Group[];
}

const MAX_PREFIX = 64;

export const nothing: Piece = { size: 0, loose: 0, length: 0, prefix: "", isLiteral: true, groups: [] };

/** `^`, `\b`, or an empty alternative: one instruction that reads no character. */
export const assertion: Piece = { ...nothing, size: 1 };

/** One character; undefined for a class. */
export function character(literal: string | undefined): Piece {
  return { ...nothing, size: 1, length: 1, prefix: literal ?? "", isLiteral: literal !== undefined };
}

export function capture(inner: Piece, group: Omit<Group, "groups">): Piece {
  // A match of any length ends anywhere, and so does its group.
  const loose = inner.loose + (inner.length === undefined ? 1 : 0);
  return { ...inner, size: inner.size + 2, loose, groups: [{ ...group, groups: inner.groups }] };
}

/** One after another. */
export function sequence(pieces: readonly Piece[]): Piece {
  let [size, loose, prefix] = [0, 0, ""];
  let [length, isLiteral]: [number | undefined, boolean] = [0, true];
  for (const piece of pieces) {
    size += piece.size;
    loose += length === undefined ? piece.size : piece.loose;
    length = length === undefined || piece.length === undefined ? undefined : length + piece.length;
    if (isLiteral) prefix += piece.prefix;
    isLiteral = isLiteral && piece.isLiteral && prefix.length <= MAX_PREFIX;
  }
  return bounded({ size, loose, length, prefix, isLiteral, groups: pieces.flatMap(({ groups }) => groups) });
}

/** One of several. @param foldsCase a match may begin with a prefix in another case. */
export function alternation(branches: readonly Piece[], foldsCase: boolean): Piece {
  const [first = nothing, ...more] = branches;
  if (more.length === 0) return first;
  return bounded({
    size: branches.reduce((sum, { size }) => sum + size + 1, -1),
    loose: foldsCase ? branches.reduce((sum, { loose }) => sum + loose, 0) : looseTogether(branches),
    length: more.every(({ length }) => length === first.length) ? first.length : undefined,
    prefix: "",
    isLiteral: false,
    groups: branches.flatMap(({ groups }) => groups),
  });
}

/** Branches are active together only where one's prefix begins the other's: `web-.*` and `api-.*` never are. */
function looseTogether(branches: readonly Piece[]): number {
  const sorted = branches.toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1));
  const open: { prefix: string; loose: number }[] = [];
  let most = 0;
  for (const { prefix, loose } of sorted) {
    while (open.length > 0 && !prefix.startsWith(open.at(-1)?.prefix ?? "")) open.pop();
    const together = (open.at(-1)?.loose ?? 0) + loose;
    open.push({ prefix, loose: together });
    most = Math.max(most, together);
  }
  return most;
}

/** @param max undefined without an upper bound. */
export function repetition(piece: Piece, min: number, max: number | undefined): Piece {
  const copies = Math.max(1, max ?? min);
  const size = piece.size * copies + (max === undefined ? 2 : max - min);
  const isFixed = piece.length !== undefined;
  // The copy that is repeated without bound begins anywhere.
  const last = max === undefined ? piece.size + 2 : piece.loose;
  const others = isFixed ? piece.loose : piece.size;
  return bounded({
    size,
    loose: Math.min(size, last + (copies - 1) * others),
    length: isFixed && min === max ? (piece.length ?? 0) * min : undefined,
    prefix: "",
    isLiteral: false,
    groups: piece.groups,
  });
}

function bounded(piece: Piece): Piece {
  const { size, loose, length } = piece;
  const shortened = length === undefined ? undefined : Math.min(HUGE, length);
  return { ...piece, size: Math.min(HUGE, size), loose: Math.min(HUGE, loose), length: shortened };
}
