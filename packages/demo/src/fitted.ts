// Truncates text to the width of the terminal.

/** The text in at most `width` columns; what is cut ends in an ellipsis, behind a whole word where one fits. */
export function fitted(text: string, width: number): string {
  if (text.length <= width) return text;
  if (width <= 0) return "";
  const cut = text.slice(0, width - 1);
  const isWhole = text[cut.length] === " ";
  const lastSpace = cut.lastIndexOf(" ");
  const words = isWhole || lastSpace < width / 2 ? cut : cut.slice(0, lastSpace);
  return `${words.trimEnd()}…`;
}
