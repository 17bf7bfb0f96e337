// Text inside a table of comma-separated values.

/** As RFC 4180 quotes it. */
export function csvCell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
