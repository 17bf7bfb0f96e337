// Formats metav1.Time and metav1.Duration.

let lastSecond = Number.NaN;
let lastText = "";

/** metav1.Time: RFC 3339 in UTC, whole seconds, cut and not rounded. Most samples of a list have the same. */
export function rfc3339(atMs: number): string {
  const second = Math.floor(atMs / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}
