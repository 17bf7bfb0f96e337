// How many columns of a terminal a string takes.

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const ascii = /^\p{ASCII}*$/u;
/** Signs of two columns: East Asian scripts and pictures. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Of a string without control characters and colors. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfSign(segment);
  return width;
}

function widthOfSign(sign: string): number {
  if (zeroWidth.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** The text in at most so many columns; what is cut off shows as `mark`. */
export function cut(text: string, width: number, mark: string): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(mark);
  if (room <= 0) return mark.slice(0, Math.max(0, width));
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = used + widthOfSign(segment);
    if (next > room) break;
    kept += segment;
    used = next;
  }
  return kept + mark;
}

/** A sentence as `wrap` breaks it, but without a word or two alone on its last line. */
export function wrapSentence(text: string, width: number | undefined, indent: string): readonly string[] {
  const lines = wrap(text, width, indent);
  const isUneven = width !== undefined && lines.length > 1 && widthOf(lines.at(-1) ?? "") < 20;
  return isUneven ? wrap(text, width - 20, indent) : lines;
}

/** A shell command, continued on the next line where an option begins that has no room; it can be copied as it is. */
export function wrapCommand(text: string, width: number | undefined, indent: string): readonly string[] {
  if (width === undefined || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const part of text.split(/ (?=-)/)) {
    const longer = line === "" ? part : `${line} ${part}`;
    if (line === "" || widthOf(longer) + 2 <= width) line = longer;
    else {
      lines.push(`${line} \\`);
      line = `${indent}${part}`;
    }
  }
  return [...lines, line];
}

/** Lines of at most so many columns, broken at blanks; those after the first begin with `indent`. */
export function wrap(text: string, width: number | undefined, indent: string): readonly string[] {
  if (width === undefined || widthOf(text) <= width) return [text];
  const [, lead = "", rest = ""] = /^( *)(.*)$/s.exec(text) ?? [];
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of rest.split(" ")) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line.trimEnd());
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty &&= word === "";
  }
  return [...lines, line.trimEnd()];
}
