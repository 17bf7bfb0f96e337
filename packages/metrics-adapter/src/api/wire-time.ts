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

/** metav1.Duration, as Go prints a time.Duration: "5m0s", "1h0m0s", "1.5s". */
export function goDuration(seconds: number): string {
  const total = Math.max(0, seconds);
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const rest = `${Number((total % 60).toFixed(9))}s`;
  if (hours > 0) {
    return `${hours}h${minutes}m${rest}`;
  }
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
