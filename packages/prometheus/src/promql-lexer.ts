// Splits PromQL into tokens.

export interface PromqlToken {
  readonly kind: "string" | "range" | "duration" | "number" | "name" | "sign";
  readonly text: string;
}

const DURATION = String.raw`(?:\d+(?:ms|[smhdwy]))+`;

const TOKEN = new RegExp(
  [
    String.raw`(?<blank>\s+|#[^\n]*)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|${"`[^`]*`"})`,
    String.raw`(?<range>\[\s*${DURATION}\s*(?::\s*(?:${DURATION})?\s*)?\])`,
    String.raw`(?<duration>${DURATION}(?![\w:]))`,
    String.raw`(?<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:[iI]nf|[nN]a[nN])(?![\w:]))(?![\w:.]))`,
    String.raw`(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)`,
    String.raw`(?<sign>==|!=|>=|<=|=~|!~|[-+*/%^<>=(){},@])`,
  ].join("|"),
  "sy",
);

/** The tokens of a PromQL text without blanks and comments; undefined when it holds anything else. */
export function lexPromql(text: string): readonly PromqlToken[] | undefined {
  const tokens: PromqlToken[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  while (end < text.length) {
    TOKEN.lastIndex = end;
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    end = TOKEN.lastIndex;
    const [kind, part] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (part === undefined || kind === undefined || kind === "blank") continue;
    tokens.push({ kind: kind as PromqlToken["kind"], text: part });
  }
  return tokens;
}
