// Reads a regular expression in RE2's syntax, as far as its cost depends on it.
//
// No library fits: those of JavaScript's syntax read `(?P<n>`, `\Q..\E`, `[[:alpha:]]` and flags in another way, and
// re2js expands repetitions before it says how large they are.
import {
  alternation,
  assertion,
  capture,
  character,
  type Group,
  type Piece,
  repetition,
  sequence,
} from "./piece.ts";

/** What a regular expression costs in Go's regexp package, anchored at both ends. */
export interface RegexCost {
  /** Instructions of the program, after repetitions are expanded. */
  readonly size: number;
  /** Those that may be active at every character of a text; the others cost a step or less for a whole text. */
  readonly loose: number;
  /** Top-level groups. */
  readonly groups: readonly Group[];
  readonly groupCount: number;
}

/** Deeper nesting than anyone writes; Go allows 1,000. */
const MAX_DEPTH = 200;
/** Anchors, the whole match, success and failure. */
const OVERHEAD = 6;

interface Reader {
  readonly text: string;
  /** A flag `i` anywhere: a match may begin with a prefix in another case. */
  readonly foldsCase: boolean;
  at: number;
  groupCount: number;
}

/** Undefined when RE2 would not read it either, or when groups are nested more than 200 deep. */
export function readRegex(text: string): RegexCost | undefined {
  const reader: Reader = { text, foldsCase: /\(\?[a-zA-Z-]*i/.test(text), at: 0, groupCount: 0 };
  const piece = readAlternation(reader, 0);
  if (piece === undefined || reader.at < text.length) return undefined;
  const { size, groups, length } = piece;
  const loose = piece.loose + (length === undefined ? OVERHEAD : 0);
  return { size: size + OVERHEAD, loose, groups, groupCount: reader.groupCount };
}

/** Up to the end of the text or of the group. */
function readAlternation(reader: Reader, depth: number): Piece | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const branches: Piece[] = [];
  for (;;) {
    const branch = readSequence(reader, depth);
    if (branch === undefined) return undefined;
    branches.push(branch);
    if (reader.text[reader.at] !== "|") return alternation(branches, reader.foldsCase);
    reader.at += 1;
  }
}

function readSequence(reader: Reader, depth: number): Piece | undefined {
  const pieces: Piece[] = [assertion];
  for (;;) {
    const next = reader.text[reader.at];
    if (next === undefined || next === "|" || next === ")") return sequence(pieces);
    const repeated = readRepetition(reader);
    if (repeated !== undefined) {
      const last = pieces.length > 1 ? pieces.pop() : undefined;
      if (last === undefined) return undefined;
      pieces.push(repetition(last, repeated.min, repeated.max));
      continue;
    }
    const atoms = readAtoms(reader, depth);
    if (atoms === undefined) return undefined;
    pieces.push(...atoms);
  }
}

const REPETITION = /(?:([*+?])|\{(\d{1,9})(?:(,)(\d{0,9}))?\})\??/y;

function readRepetition(reader: Reader): { min: number; max: number | undefined } | undefined {
  const [, sign, min, comma, max] = take(reader, REPETITION) ?? [];
  if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : undefined };
  if (min === undefined) return undefined;
  if (comma === undefined) return { min: Number(min), max: Number(min) };
  // A wrong order is refused by the server.
  return { min: Number(min), max: max === "" ? undefined : Math.max(Number(min), Number(max)) };
}

const OPENING = /\((?:\?(?:P?<(?<name>[^>]*)>|(?<flags>[a-zA-Z-]*)(?<end>[:)])))?/y;
const QUOTED = /\\Q(?<quoted>.*?)(?:\\E|$)/suy;
const CLASS = /\[\^?\]?(?:\[:\^?[a-zA-Z]*:\]|\\[\s\S]|[^\]\\])*\]/uy;
const UNICODE = /\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|[0-9a-fA-F]{2})|[0-7]{1,3})/suy;
const ASSERTION = /[\^$]|\\[AzbB]/y;
const ESCAPED = /\\(?<escaped>[^\w\s])/uy;
const OTHER = /\\.|[\s\S]/suy;

/** Several for a quoted text; none for flags. Undefined when it cannot be read. */
function readAtoms(reader: Reader, depth: number): readonly Piece[] | undefined {
  if (reader.text[reader.at] === "(") return readGroup(reader, depth);
  const quoted = take(reader, QUOTED)?.groups?.["quoted"];
  if (quoted !== undefined) return Array.from(quoted, (one) => character(one));
  const one = take(reader, ASSERTION) === undefined ? readCharacter(reader) : assertion;
  return one === undefined ? undefined : [one];
}

function readCharacter(reader: Reader): Piece | undefined {
  if (reader.text[reader.at] === "[") return readClass(reader);
  if (take(reader, UNICODE) !== undefined) return character(undefined);
  const escaped = take(reader, ESCAPED)?.groups?.["escaped"];
  if (escaped !== undefined) return character(escaped);
  const [other = "\\"] = take(reader, OTHER) ?? [];
  if (other === "\\") return undefined;
  return character(other === "." || other.startsWith("\\") ? undefined : other);
}

function readClass(reader: Reader): Piece | undefined {
  const [text] = take(reader, CLASS) ?? [];
  if (text === undefined) return undefined;
  const any = character(undefined);
  return reader.foldsCase ? { ...any, size: any.size + Math.ceil(inRanges(text) / FOLDED) } : any;
}

/** Characters of ranges whose other case Go looks up in the time that one instruction may take. */
const FOLDED = 500;
/** What begins a range may be an escape, which counts as 0. */
const RANGE = /\\[^x]|(?:\\x\{(?<fromHex>[^}]*)\}|(?<from>.))?-(?:\\x\{(?<toHex>[^}]*)\}|(?<to>.))/gsu;

/** Go looks up each character of each range, also of those that a class has a thousand times. */
function inRanges(text: string): number {
  let sum = 0;
  for (const { groups = {} } of text.matchAll(RANGE)) {
    const [first, last] = [codeOf(groups["from"], groups["fromHex"]), codeOf(groups["to"], groups["toHex"])];
    sum += Math.max(0, last - first);
  }
  return sum;
}

function codeOf(literal: string | undefined, hex: string | undefined): number {
  return literal?.codePointAt(0) ?? (Number.parseInt(hex ?? "", 16) || 0);
}

function readGroup(reader: Reader, depth: number): readonly Piece[] | undefined {
  const { name, flags, end } = take(reader, OPENING)?.groups ?? {};
  if (end === ")") return [];
  const isCapturing = flags === undefined;
  if (isCapturing && reader.text[reader.at] === "?") return undefined;
  const index = isCapturing ? (reader.groupCount += 1) : 0;
  const inner = readAlternation(reader, depth + 1);
  if (inner === undefined || reader.text[reader.at] !== ")") return undefined;
  reader.at += 1;
  return [isCapturing ? capture(inner, { index, name }) : inner];
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return undefined;
  reader.at = pattern.lastIndex;
  return found;
}

/** The text that no regular expression is needed for; a server looks up its values one by one. */
const LITERALS =
  /^(?:[^\\.+*?()|[\]{}^$]|\\[\\.+*?()|[\]{}^$])+(?:\|(?:[^\\.+*?()|[\]{}^$]|\\[\\.+*?()|[\]{}^$])+)*$/;
/** Prometheus 3 looks up no more. */
const MAX_LITERALS = 256;

/** Whether it is texts with `|` between them, none of them empty. */
export function isListOfTexts(text: string): boolean {
  return LITERALS.test(text) && text.split("|").length <= MAX_LITERALS;
}
