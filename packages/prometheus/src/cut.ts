// Truncates foreign strings in messages and logs.

/** In UTF-16 code units: of a foreign string in a message, a log line or a response. */
const MAX_LENGTH = 500;
/** Enough to recognize a login page, not enough to fill a log. */
const MAX_EXCERPT_LENGTH = 200;
const MAX_LISTED = 10;
const MAX_EXAMINED = 65_536;

type Hide = (text: string) => string;

/** A text that the other side chose, as far as it goes into a message. */
export function cut(text: string, hide: Hide = asItIs): string {
  return shortened(text, MAX_LENGTH, hide);
}

/** The start of an unexpected text, in quotes. */
export function excerpt(text: string, hide: Hide = asItIs): string {
  return JSON.stringify(shortened(text, MAX_EXCERPT_LENGTH, hide));
}

/** Some of many texts, each cut, and how many there are beside. */
export function cutList(texts: readonly string[], hide: Hide): readonly string[] {
  const rest = texts.length - MAX_LISTED;
  const kept = texts.slice(0, MAX_LISTED).map((text) => cut(text, hide));
  return rest > 0 ? [...kept, `and ${rest} more`] : kept;
}

/** At most this many UTF-16 code units of a text, with an ellipsis if it was longer. */
export function startOf(text: string, length: number): string {
  // A part of a text would keep all of it in memory.
  return text.length <= length ? text : Buffer.from(`${text.slice(0, length)}…`).toString();
}

const asItIs: Hide = (text) => text;

function shortened(text: string, length: number, hide: Hide): string {
  // Hidden before it is cut: the start of a secret is not recognized as one.
  const shown = hide(text.slice(0, MAX_EXAMINED));
  if (shown.length <= length && text.length <= MAX_EXAMINED) return shown;
  return startOf(`${shown}…`, length);
}
