// Hides what looks like a secret, whoever wrote it: a bundle is written without it, and says so.

const pemStart = /-----BEGIN [A-Z0-9 ]{1,64}-----/;
const pemEnd = /-----END [A-Z0-9 ]{1,64}-----/;
/** A line of a block, indented or not, behind the timestamp of a log or none: base64, a header, or nothing. */
const pemLine = /^(?:\S{1,64} {1,64})?(?:[A-Za-z0-9+/=]{0,1024}|[A-Za-z-]{1,64}: .{0,1024})$/;
/** The same block in base64, and a line that goes on with it. */
const encodedStart = /LS0tLS1CRUdJTi[A-Za-z0-9+/]+=*/;
const encodedLine = /^[A-Za-z0-9+/]{16,1024}=*$/;

const everyEncoded = new RegExp(encodedStart, "g");

const pemBlock = "a PEM block";
const token = "a JSON Web Token";

function markerOf(what: string): string {
  return `[hidden: ${what}]`;
}

/** What a text has that looks like a secret; the text itself is not shown. */
export function secretIn(text: string): string | undefined {
  if (pemStart.test(text) || encodedStart.test(text)) return pemBlock;
  return withoutTokens(text) === text ? undefined : token;
}

function withoutTokens(text: string): string {
  return text.replaceAll(/[\w.-]+/g, (name) => (name.includes(".eyJ") ? withoutTokensIn(name) : name));
}

/** A token may stand behind what belongs to another word, such as `%20` or `\n`. */
function withoutTokensIn(name: string): string {
  const parts = name.split(".");
  const shown: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [part = "", claims = "", signature] = parts.slice(at, at + 3);
    const start = part.search(/eyJ[\w-]{8}/);
    const isToken = start >= 0 && /^eyJ[\w-]{8}/.test(claims) && signature !== undefined;
    shown.push(isToken ? part.slice(0, start) + markerOf(token) : part);
    if (isToken) at += 2;
  }
  return shown.join(".");
}

/** Lines that belong to what began above them. */
interface Open {
  readonly line: RegExp;
  readonly end: RegExp | undefined;
}

/** The same text with a marker in the place of each secret. Reads the text once. */
export function withoutSecrets(text: string): string {
  if (secretIn(text) === undefined) return text;
  let open: Open | undefined;
  const shown: string[] = [];
  for (const line of text.split("\n")) {
    const end = open?.end?.exec(line) ?? undefined;
    if (end === undefined && open?.line.test(line.trim()) === true) continue;
    const hidden = withoutBlocks(end === undefined ? line : line.slice(end.index + end[0].length));
    open = hidden.open;
    // What follows a block in its last line is behind the marker.
    const before = end === undefined ? undefined : shown.pop();
    shown.push((before ?? "") + withoutTokens(hidden.kept));
  }
  return shown.join("\n");
}

function withoutBlocks(line: string): { readonly kept: string; readonly open: Open | undefined } {
  const parts: string[] = [];
  let rest = line;
  for (let start = pemStart.exec(rest); start !== null; start = pemStart.exec(rest)) {
    parts.push(rest.slice(0, start.index), markerOf(pemBlock));
    const block = rest.slice(start.index);
    const end = pemEnd.exec(block);
    if (end === null) return { kept: parts.join(""), open: { line: pemLine, end: pemEnd } };
    rest = block.slice(end.index + end[0].length);
  }
  const kept = parts.join("") + rest;
  const last = [...kept.matchAll(everyEncoded)].at(-1);
  if (last === undefined) return { kept, open: undefined };
  const goesOn = last.index + last[0].length === kept.trimEnd().length;
  return {
    kept: kept.replaceAll(everyEncoded, markerOf(pemBlock)),
    open: goesOn ? { line: encodedLine, end: undefined } : undefined,
  };
}

/** What was hidden in a file, and where; undefined: nothing. */
export function hiddenIn(content: string): string | undefined {
  const places = new Map<string, { readonly line: number; count: number }>();
  let line = 1;
  for (const { 1: what } of content.matchAll(/\n|\[hidden: (a PEM block|a JSON Web Token)\]/g)) {
    const known = what === undefined ? undefined : places.get(what);
    if (what === undefined) line++;
    else if (known === undefined) places.set(what, { line, count: 1 });
    else known.count++;
  }
  if (places.size === 0) return undefined;
  return [...places]
    .map(([what, { line: first, count }]) => {
      const more = count === 1 ? "" : `, and ${count - 1} more`;
      return `hidden: text that looks like ${what}, in line ${first}${more}`;
    })
    .join("; ");
}
