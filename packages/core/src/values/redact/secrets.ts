// The secrets of a process, each with all its forms, and how they are hidden.
import { textOfBase64 } from "./bytes.ts";
import { encodedForms, plainForms, type SecretForm } from "./forms.ts";

const HIDDEN = "***";
/** Shorter ones are parts of ordinary words: they are hidden where they are a credential by what is around them. */
const minLength = 4;
/** In texts that have nothing to do with the secret, which may be an ordinary word. */
const minLengthAnywhere = 8;
/** Rotated tokens take the places of those that were not used for longest. */
const maxSecrets = 200;

interface Forms {
  readonly plain: readonly SecretForm[];
  readonly encoded: readonly SecretForm[];
}

/** Of the registered, and of as many that are given: all that one text is searched for. */
const known = new Map<string, Forms>();
const registered = new Set<string>();

/**
 * From now on `redact` hides it, in all its forms, from every text of this process: log lines, errors, responses. It may be
 * called for each request.
 */
export function registerSecret(...secrets: readonly string[]): void {
  for (const secret of secrets) {
    if (secret.length < minLength) continue;
    registered.delete(secret);
    registered.add(secret);
    for (const oldest of registered) {
      if (registered.size <= maxSecrets) break;
      registered.delete(oldest);
    }
  }
}

/**
 * What proves an identity in a header: its value, what is behind a scheme, and of Basic the password, alone and with the user. A
 * value that is too short to be hidden anywhere is hidden behind the name of its header.
 */
export function secretsOfHeader(name: string, value: string): readonly string[] {
  const credential = /^[a-z][\w-]{0,31} +(\S+)$/i.exec(value)?.[1];
  const pair = /^basic /i.test(value) && credential !== undefined ? textOfBase64(credential) : undefined;
  const labelled = [": ", ":", "=", '":"', '": "', '":["', '": ["'].map((mark) => `${name}${mark}${value}`);
  return [
    value,
    ...(credential === undefined ? [] : [credential]),
    ...(pair === undefined ? [] : [pair, pair.slice(pair.indexOf(":") + 1)]),
    ...(value.length < minLength ? labelled : []),
  ];
}

/** The text without these secrets and those that are registered. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  const own = new Set(secrets);
  const forms: SecretForm[] = [];
  for (const secret of own) {
    if (secret.length < minLength) continue;
    const { plain, encoded } = formsOf(secret);
    forms.push(...plain, ...encoded);
  }
  for (const secret of registered) {
    if (own.has(secret)) continue;
    const { plain, encoded } = formsOf(secret);
    if (secret.length >= minLengthAnywhere) forms.push(...plain);
    forms.push(...encoded);
  }
  return hideForms(text, forms, HIDDEN);
}

/** The text with `instead` in the place of what has one of these forms. */
export function hideForms(text: string, forms: readonly SecretForm[], instead: string): string {
  if (forms.length === 0) return text;
  const small = text.toLowerCase();
  const present = forms.filter(({ signs }) => signs.some((sign) => small.includes(sign)));
  return without(
    text,
    present.flatMap((form) => [...find(text, form)]),
    instead,
  );
}

function formsOf(secret: string): Forms {
  const found = known.get(secret) ?? { plain: plainForms(secret), encoded: encodedForms(secret) };
  known.delete(secret);
  known.set(secret, found);
  for (const oldest of known.keys()) {
    if (known.size <= 2 * maxSecrets) break;
    known.delete(oldest);
  }
  return found;
}

type Range = readonly [start: number, end: number];

/** The most that is read around a match: more is cut off anyway, or begins a new line. */
const maxAround = 8_192;

function* find(text: string, { pattern, around }: SecretForm): Generator<Range> {
  for (const { index, 0: match } of text.matchAll(pattern())) {
    let start = index;
    let end = index + match.length;
    if (around !== undefined) {
      const first = Math.max(0, start - maxAround);
      const last = Math.min(text.length, end + maxAround);
      while (start > first && around.before?.test(text.charAt(start - 1)) === true) start -= 1;
      while (end < last && around.behind.test(text.charAt(end))) end += 1;
    }
    // A backslash that is left alone would escape what comes behind.
    if (/(?<!\\)(?:\\\\)*\\$/.test(text.slice(Math.max(0, start - 64), start))) start -= 1;
    yield [start, end];
  }
}

function without(text: string, ranges: Range[], instead: string): string {
  if (ranges.length === 0) return text;
  let shown = "";
  let at = 0;
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    if (start >= at && (start > at || at === 0)) shown += text.slice(at, start) + instead;
    at = Math.max(at, end);
  }
  return shown + text.slice(at);
}
