// The forms in which a secret may stand in a text: each is a pattern, so that encoders may mix what they escape.
import { base64Within, utf8Of } from "./bytes.ts";

/** A form of a secret. */
export interface SecretForm {
  /** Each text that has this form has one of these, in lower case: few texts have one, and only those are searched. */
  readonly signs: readonly string[];
  /** Compiling that of a long token takes milliseconds. */
  readonly pattern: () => RegExp;
  /** Characters before and behind a match that are hidden with it: they were encoded together. */
  readonly around?: { readonly before?: RegExp; readonly behind: RegExp };
}

/** In UTF-16 code units. The start of a longer one shows that it is there; the rest of that word is hidden with it. */
const maxPlain = 2_000;
/** What is encoded has no blanks: its rest is one word. */
const maxEncoded = 96;

/** Of a secret as it is, with any characters escaped as in JSON, HTML or an address. */
export function plainForms(secret: string): readonly SecretForm[] {
  const start = startOf(secret, maxPlain);
  const around = start === secret ? {} : { around: { behind: /[^\s"'\\,;<>]/ } };
  const forms = new Set([start, start.trim()]);
  return [...forms].map((form) => ({
    signs: [signOf(form)],
    pattern: once(() => escapedForms(form)),
    ...around,
  }));
}

/** Of a secret in base64 or hexadecimal, alone or as a part of a longer text. */
export function encodedForms(secret: string): readonly SecretForm[] {
  const start = startOf(secret, maxEncoded);
  const bytes = utf8Of(start);
  const base64 = ([0, 1, 2] as const).map((offset) => {
    const letters = base64Within(bytes, offset);
    return {
      signs: [signOf(letters)],
      pattern: once(() => escapedForms(letters, base64Marks)),
      around: { before: /[\w+/%-]/, behind: /[\w+/%=-]/ },
    };
  });
  const digits = bytes.map((byte) => hexOf(byte));
  const hex = {
    signs: hexSeparators.map((separator) => digits.slice(0, 8).join(separator)),
    pattern: once(() => new RegExp(digits.join(String.raw`(?:%|\\x|[: ])?`), "gi")),
    around: { before: /[\da-f]/i, behind: start === secret ? /[\da-f]/i : /[\da-f%\\x: ]/i },
  };
  return [...base64, hex];
}

const hexSeparators = ["", "%", "\\x", ":", " "];

/** Half a surrogate pair at the end would be in no text. */
function startOf(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, "") : text;
}

/** Letters and digits that no encoder changes. */
function signOf(text: string): string {
  const words = text.match(/[\dA-Za-z]+/g) ?? [""];
  return words.reduce((most, word) => (word.length > most.length ? word : most)).toLowerCase();
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

type Marks = Readonly<Record<string, readonly string[]>>;

/** Names of HTML, and a blank in a form. */
const plainMarks: Marks = {
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  '"': ["&quot;"],
  "'": ["&apos;"],
  " ": [String.raw`\+`, "%2[bB]"],
};
/** The letters of the alphabet for addresses. */
const base64Marks: Marks = { "+": ["-", " "], "/": ["_"] };
/** As JSON and Go write them behind a backslash. */
const shortEscapes: Readonly<Record<string, string>> = {
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\b": "b",
  "\f": "f",
  "\v": "v",
};

function escapedForms(text: string, marks: Marks = plainMarks): RegExp {
  const parts = [...text.matchAll(/\\+|[\dA-Za-z]+|[^]/gu)].map(([part]) =>
    /^[\dA-Za-z]/.test(part)
      ? part
      : part.startsWith("\\")
        ? backslashes(part.length)
        : markForms(part, marks),
  );
  return new RegExp(parts.join(""), "gu");
}

/** As they are, or escaped once or twice. */
function backslashes(count: number): string {
  const percent = `(?:%(?:25)?5[Cc]){${count}}`;
  return String.raw`(?:\\{${4 * count}}|\\{${2 * count}}|\\{${count}}|${percent}|(?:\\{1,2}u005[Cc]){${count}}|(?:&#(?:92|[xX]5[Cc]);){${count}})`;
}

/** One character that isn't an ASCII letter or digit. */
function markForms(mark: string, marks: Marks): string {
  const bytes = utf8Of(mark);
  const units = Array.from({ length: mark.length }, (_unit, index) => mark.charCodeAt(index));
  const point = mark.codePointAt(0) ?? 0;
  const short = shortEscapes[mark];
  return `(?:${[
    // A quote or a slash may have backslashes before it.
    `${/["'/]/.test(mark) ? String.raw`\\{0,3}` : ""}${literal(mark)}`,
    bytes.map((byte) => `%(?:25)?${anyCase(hexOf(byte))}`).join(""),
    units.map((unit) => String.raw`\\{1,2}u${anyCase(unit.toString(16).padStart(4, "0"))}`).join(""),
    `&(?:amp;)?#(?:0*${point}|[xX]0*${anyCase(point.toString(16))});`,
    // Read as Latin 1, which is how headers are read.
    ...(bytes.length > 1 ? [bytes.map((byte) => literal(String.fromCharCode(byte))).join("")] : []),
    ...(/\p{Cs}/u.test(mark) ? ["\ufffd"] : []),
    ...(short === undefined ? [] : [String.raw`\\{1,2}${short}`]),
    ...(marks[mark] ?? []),
  ].join("|")})`;
}

function literal(mark: string): string {
  return `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`;
}

function anyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
