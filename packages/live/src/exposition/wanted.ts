// Which lines of an exposition are worth reading: those whose metric a selector names, found without decoding the line.
import type { Selector } from "../evaluate/plan.ts";

const [tab, space, newline, hash, brace] = [9, 32, 10, 35, 123];

/** Names that are remembered; an exposition with more costs a little more. */
const MAX_NAMES = 10_000;

/** Whether a line is to be read. `from` is its first byte, `to` the place after its last one. */
export type WantedLine = (bytes: Buffer, from: number, to: number) => boolean;

export function wantedLines(selectors: readonly Selector[]): WantedLine {
  const names = selectors.map(({ name }) => name);
  const known = names.filter((name) => name !== undefined);
  if (known.length === names.length) return byName([...new Set(known)].map((name) => Buffer.from(name)));
  return byPattern(selectors);
}

/** What follows a name that has no quotes. */
function endsName(byte: number | undefined): boolean {
  return byte === brace || byte === space || byte === tab;
}

/** A name in quotes is within the braces, in any place. */
function beginsWithBrace(bytes: Buffer, from: number): boolean {
  let at = from;
  while (bytes[at] === space || bytes[at] === tab) at += 1;
  return bytes[at] === brace;
}

function byName(names: readonly Buffer[]): WantedLine {
  return (bytes, from, to) => {
    if (beginsWithBrace(bytes, from)) return true;
    return names.some((name) => {
      const end = from + name.length;
      return (end === to || (end < to && endsName(bytes[end]))) && isAt(bytes, from, name);
    });
  };
}

function isAt(bytes: Buffer, from: number, name: Buffer): boolean {
  for (let at = 0; at < name.length; at += 1) if (bytes[from + at] !== name[at]) return false;
  return true;
}

function byPattern(selectors: readonly Selector[]): WantedLine {
  const known = new Map<string, boolean>();
  return (bytes, from, to) => {
    if (beginsWithBrace(bytes, from)) return true;
    if (bytes[from] === hash || bytes[from] === newline) return false;
    let end = from;
    while (end < to && !endsName(bytes[end])) end += 1;
    const name = bytes.toString("latin1", from, end);
    const before = known.get(name);
    if (before !== undefined) return before;
    const isWanted = selectors.some((selector) => selector.matchesName(name));
    if (known.size < MAX_NAMES) known.set(name, isWanted);
    return isWanted;
  };
}
