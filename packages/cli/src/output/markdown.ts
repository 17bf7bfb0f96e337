// Text inside Markdown.

/** Text in one line, in which no sign means something, as in a cell of a table. */
export function markdownCell(text: string): string {
  return text.replaceAll(/[|\\`*_<>[\]]/g, (sign) => `\\${sign}`).replaceAll(/\s+/g, " ");
}
