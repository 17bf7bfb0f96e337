export type TokenKind =
  | "error"
  | "end"
  | "identifier"
  | "("
  | ")"
  | ","
  | "!"
  | "=="
  | "="
  | "!="
  | ">"
  | "<"
  | "in"
  | "notin";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const keywords = new Set<string>(["(", ")", ",", "!", "==", "=", "!=", ">", "<", "in", "notin"]);
const special = new Set("=!(),<>");
const blank = new Set(" \t\r\n");

/**
 * The tokens of a label selector, "end" last.
 * @upstream apimachinery/pkg/labels/selector.go#Lexer
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const first = text.charAt(at);
    if (blank.has(first)) {
      at += 1;
    } else if (special.has(first)) {
      const token = specialToken(text, at);
      at += Math.max(token.text.length, 1);
      tokens.push(token);
    } else {
      const start = at;
      while (at < text.length && !special.has(text.charAt(at)) && !blank.has(text.charAt(at))) at += 1;
      const word = text.slice(start, at);
      tokens.push({ kind: word === "in" || word === "notin" ? word : "identifier", text: word });
    }
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

/** The longest operator that starts here; every special character is one by itself. */
function specialToken(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  const found = keywords.has(two) ? two : text.charAt(at);
  return { kind: found as TokenKind, text: found };
}
