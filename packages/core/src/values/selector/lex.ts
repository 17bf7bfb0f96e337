// The lexer of label selectors.

/** One token of a selector's text; `kind` is the symbol or keyword itself for those. */
export interface Token {
  readonly kind:
    | "identifier"
    | "end"
    | "error"
    | ")"
    | ","
    | "!"
    | "=="
    | "="
    | ">"
    | "in"
    | "<"
    | "!="
    | "notin"
    | "(";
  readonly text: string;
}

const symbols: ReadonlyMap<string, Token["kind"]> = new Map(
  ([")", ",", "!", "==", "=", ">", "<", "!=", "("] as const).map((symbol) => [symbol, symbol]),
);

const isSymbol = (char: string) => "=!(),><".includes(char);
const isBlank = (char: string) => " \t\r\n".includes(char);

/** @upstream apimachinery/pkg/labels/selector.go#Lexer.Lex */
export function lexSelector(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isBlank(text.charAt(at))) at++;
    if (at >= text.length || text[at] === "\0") {
      tokens.push({ kind: "end", text: "" });
      return tokens;
    }
    const token = isSymbol(text.charAt(at)) ? lexSymbol(text, at) : lexWord(text, at);
    tokens.push(token.token);
    at = token.next;
  }
}

function lexWord(text: string, start: number): { token: Token; next: number } {
  let end = start;
  while (end < text.length && !isSymbol(text.charAt(end)) && !isBlank(text.charAt(end))) end++;
  const word = text.slice(start, end);
  const kind = word === "in" || word === "notin" ? word : "identifier";
  return { token: { kind, text: word }, next: end };
}

/** Takes the longest symbol, growing one character at a time. */
function lexSymbol(text: string, start: number): { token: Token; next: number } {
  let last: Token | undefined;
  let end = start;
  while (end < text.length && isSymbol(text.charAt(end))) {
    const candidate = text.slice(start, end + 1);
    const kind = symbols.get(candidate);
    if (kind !== undefined) last = { kind, text: candidate };
    else if (last !== undefined) break;
    end++;
  }
  return {
    token: last ?? { kind: "error", text: `error expected: keyword found '${text.slice(start, end)}'` },
    next: end,
  };
}
