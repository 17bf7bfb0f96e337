// Responses as JSON, read once for the checks and for the client that gets them.

/** So many responses are on their way at most; those that are lost are forgotten. */
const maxKept = 200;

const kept = new Map<string, unknown>();

/** The value of a response, to look at; it is its client's afterwards. */
export function lookAt(text: string): unknown {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const value = JSON.parse(text) as unknown;
  kept.set(text, value);
  for (const [oldest] of kept) {
    if (kept.size <= maxKept) break;
    kept.delete(oldest);
  }
  return value;
}

/** The value that was looked at, for the one who may change it; undefined when no check looked. */
export function takeSeen(text: string): unknown {
  const value = kept.get(text);
  if (value !== undefined) kept.delete(text);
  return value;
}
