// Formats an explanation as text or Markdown.

/** A line of an explanation: its indentation and text. */
export interface Line {
  readonly depth: number;
  readonly text: string;
}

export function line(depth: number, text: string): Line {
  return { depth, text };
}

/** Plain text: two blanks a level. */
export function toText(lines: readonly Line[]): string {
  return lines.map(({ depth, text }) => `${"  ".repeat(depth)}${text}`).join("\n");
}

/** Markdown: the first line in bold, the others as a nested list. Names from the cluster cannot break out. */
export function toMarkdown(lines: readonly Line[]): string {
  return lines
    .map(({ depth, text }, i) =>
      i === 0 ? `**${escape(text)}**\n` : `${"  ".repeat(Math.max(0, depth - 1))}- ${escape(text)}`,
    )
    .join("\n");
}

function escape(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|]/g, (char) => `\\${char}`);
}
