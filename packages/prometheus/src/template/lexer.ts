// Splits a template into text and actions, and actions into tokens.
import { TemplateError } from "./error.ts";

export type TokenKind =
  | "field"
  | "variable"
  | "dot"
  | "identifier"
  | "string"
  | "number"
  | "char"
  | "pipe"
  | "open"
  | "close"
  | "declare"
  | "assign"
  | "comma"
  | "end";

export interface Token {
  readonly kind: TokenKind;
  /** Source text; for fields and variables without the leading "." or "$", for strings the meaning. */
  readonly text: string;
  readonly offset: number;
  readonly hasSpaceBefore: boolean;
}

export type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly tokens: readonly Token[]; readonly offset: number };

const OPEN = "<<";
const CLOSE = ">>";

/** Cuts a template into literal text and actions, trim markers already applied, comments removed. */
export function lex(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  let trimNext = false;
  while (at < text.length) {
    const open = text.indexOf(OPEN, at);
    const end = open < 0 ? text.length : open;
    const trimsLeft = open >= 0 && /^-\s/.test(text.slice(open + OPEN.length, open + OPEN.length + 2));
    let literal = text.slice(at, end);
    if (trimNext) literal = literal.replace(/^[ \t\r\n]+/, "");
    if (trimsLeft) literal = withoutBlanksBehind(literal);
    if (literal !== "") segments.push({ kind: "text", text: literal });
    if (open < 0) break;
    const inside = open + OPEN.length + (trimsLeft ? 1 : 0);
    const isComment = text.startsWith("/*", trimsLeft ? inside + 1 : inside);
    const action = isComment ? skipComment(text, open, inside) : lexAction(text, open, inside);
    if (!isComment) segments.push({ kind: "action", tokens: action.tokens, offset: open });
    at = action.next;
    trimNext = action.trimsRight;
  }
  return segments;
}

/** No regular expression: it would try every blank as a beginning. */
function withoutBlanksBehind(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

interface LexedAction {
  readonly tokens: readonly Token[];
  readonly next: number;
  readonly trimsRight: boolean;
}

function skipComment(text: string, open: number, inside: number): LexedAction {
  const end = text.indexOf("*/", inside);
  if (end < 0) throw new TemplateError("unclosed comment", text, open);
  const rest = text.slice(end + 2);
  const close = /^(?<trim>\s-)?>>/.exec(rest);
  if (close === null) throw new TemplateError("comment ends before closing delimiter", text, end);
  return { tokens: [], next: end + 2 + close[0].length, trimsRight: close.groups?.["trim"] !== undefined };
}

const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ["declare", /:=/y],
  ["assign", /=/y],
  ["comma", /,/y],
  ["pipe", /\|/y],
  ["open", /\(/y],
  ["close", /\)/y],
  ["string", /"(?:\\[^\n]|[^"\\\n])*"|`[^`]*`/y],
  ["char", /'(?:\\[^\n]|[^'\\\n])+'/y],
  ["field", /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ["variable", /\$[\p{L}\p{Nd}_]*/uy],
  ["number", /[+-]?(?:\d|\.\d)[\p{L}\p{Nd}_.]*/uy],
  ["dot", /\./y],
  ["identifier", /[\p{L}_][\p{L}\p{Nd}_]*/uy],
];

function lexAction(text: string, open: number, inside: number): LexedAction {
  const tokens: Token[] = [];
  let at = inside;
  for (;;) {
    const space = /[ \t\r\n]*/y;
    space.lastIndex = at;
    const hasSpaceBefore = (space.exec(text)?.[0].length ?? 0) > 0;
    at = space.lastIndex;
    if (at >= text.length) throw new TemplateError("unclosed action", text, open);
    const trimsRight = hasSpaceBefore && text.startsWith(`-${CLOSE}`, at);
    if (trimsRight || text.startsWith(CLOSE, at)) {
      tokens.push({ kind: "end", text: "", offset: at, hasSpaceBefore });
      return { tokens, next: at + CLOSE.length + (trimsRight ? 1 : 0), trimsRight };
    }
    const token = lexToken(text, at, hasSpaceBefore);
    tokens.push(token.token);
    at = token.next;
  }
}

function lexToken(text: string, at: number, hasSpaceBefore: boolean): { token: Token; next: number } {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const source = pattern.exec(text)?.[0];
    if (source === undefined) continue;
    const meaning = kind === "string" ? unquote(source, text, at) : source.replace(/^[.$](?=.)/, "");
    const isNamed = kind === "string" || kind === "field" || kind === "variable";
    const token = { kind, text: isNamed ? meaning : source, offset: at, hasSpaceBefore };
    return { token, next: at + source.length };
  }
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const reason =
    char === '"' || char === "`" ? "unterminated quoted string" : `unexpected ${JSON.stringify(char)}`;
  throw new TemplateError(reason, text, at);
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
]);

/** The meaning of a quoted Go string or character. */
export function unquote(source: string, text: string, offset: number): string {
  const body = source.slice(1, -1);
  if (source.startsWith("`")) return body.replaceAll("\r", "");
  const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gsu;
  return body.replaceAll(escape, (all, ...groups: (string | undefined)[]) => {
    const [x, u, U, octal, simple] = groups;
    const unicode = u ?? U;
    const byte = octal === undefined ? x : Number.parseInt(octal, 8).toString(16);
    const meaning =
      unicode === undefined && byte === undefined
        ? simpleEscape(simple ?? "", source)
        : codeEscape(Number.parseInt(unicode ?? byte ?? "", 16), unicode === undefined);
    if (meaning === undefined) throw new TemplateError(`bad escape ${all}`, text, offset);
    if (unicode === undefined && byte !== undefined && meaning > "\x7f" && source.startsWith('"'))
      throw new TemplateError(`bytes beyond 7f in texts are not supported: ${all}`, text, offset);
    return meaning;
  });
}

function codeEscape(code: number, isByte: boolean): string | undefined {
  return (isByte ? code <= 0xff : isCharacter(code)) ? String.fromCodePoint(code) : undefined;
}

/** The other kind of quote must not be escaped. */
function simpleEscape(character: string, source: string): string | undefined {
  const isOtherQuote =
    (character === "'" && source.startsWith('"')) || (character === '"' && source.startsWith("'"));
  return isOtherQuote ? undefined : SIMPLE_ESCAPES.get(character);
}

/** Not half of one either. */
function isCharacter(code: number): boolean {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
