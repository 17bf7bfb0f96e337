import { labelKeyProblems } from "./label-syntax.ts";
import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import { invalid, newRequirement, type Operator, type Requirement, SelectorError } from "./requirement.ts";
import { type Selector, selectorOf } from "./selector.ts";

const binaryOperators: Partial<Record<TokenKind, Operator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "=",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/**
 * Reads a label selector such as "app=shop,tier in (a,b),!canary". "" selects everything.
 * Throws SelectorError in the words of Kubernetes.
 * @upstream apimachinery/pkg/labels/selector.go#Parse
 */
export function parseSelector(text: string): Selector {
  const reader = tokenReader(tokenize(text));
  const requirements: Requirement[] = [];
  if (reader.peek().kind === "end") return selectorOf([]);
  if (!startsRequirement(reader.peek())) {
    throw new SelectorError(`found '${reader.peek().text}', expected: !, identifier, or 'end of string'`);
  }
  for (;;) {
    requirements.push(readRequirement(reader));
    const next = reader.take();
    if (next.kind === "end") return selectorOf(requirements);
    if (next.kind !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
    if (!startsRequirement(reader.peek())) {
      throw new SelectorError(`found '${reader.peek().text}', expected: identifier after ','`);
    }
  }
}

interface TokenReader {
  /** The next token, in which "in" and "notin" count as identifiers. */
  peek(): Token;
  take(): Token;
  takeOperator(): Token;
}

function tokenReader(tokens: readonly Token[]): TokenReader {
  const end: Token = { kind: "end", text: "" };
  let at = 0;
  const asValue = (token: Token): Token =>
    token.kind === "in" || token.kind === "notin" ? { kind: "identifier", text: token.text } : token;
  const takeOperator = () => {
    at += 1;
    return tokens[at - 1] ?? end;
  };
  return { peek: () => asValue(tokens[at] ?? end), take: () => asValue(takeOperator()), takeOperator };
}

function startsRequirement(token: Token): boolean {
  return token.kind === "identifier" || token.kind === "!";
}

function readRequirement(reader: TokenReader): Requirement {
  try {
    let token = reader.take();
    const negated = token.kind === "!";
    if (negated) token = reader.take();
    if (token.kind !== "identifier") throw new SelectorError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const problems = labelKeyProblems(key);
    // The path of a field that is not part of an object is printed so.
    if (problems.length > 0) throw new SelectorError(invalid("<nil>", key, problems.join("; ")));
    if (negated) return newRequirement(key, "!", []);
    const next = reader.peek().kind;
    if (next === "end" || next === ",") return newRequirement(key, "exists", []);
    const operatorToken = reader.takeOperator();
    const operator = binaryOperators[operatorToken.kind];
    if (operator === undefined) {
      throw new SelectorError(`found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const isSet = operator === "in" || operator === "notin";
    return newRequirement(key, operator, isSet ? readValueSet(reader) : [readExactValue(reader)]);
  } catch (error) {
    if (error instanceof SelectorError) {
      throw new SelectorError(`unable to parse requirement: ${error.message}`);
    }
    throw error;
  }
}

function readValueSet(reader: TokenReader): readonly string[] {
  const open = reader.take();
  if (open.kind !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = reader.peek();
  if (first.kind === ")") {
    reader.take();
    return [""];
  }
  if (first.kind !== "identifier" && first.kind !== ",") {
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values: string[] = [];
  for (;;) {
    const token = reader.take();
    if (token.kind === "identifier") {
      values.push(token.text);
      const next = reader.peek();
      if (next.kind === ")") break;
      if (next.kind !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
    } else if (token.kind === ",") {
      // An empty place between commas, or beside a parenthesis, is the empty value.
      const next = reader.peek();
      if (values.length === 0 || next.kind === "," || next.kind === ")") values.push("");
      if (next.kind === ")") break;
    } else {
      throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
    }
  }
  reader.take();
  return [...new Set(values)].sort();
}

function readExactValue(reader: TokenReader): string {
  const next = reader.peek();
  if (next.kind === "end" || next.kind === ",") return "";
  const token = reader.take();
  if (token.kind !== "identifier") throw new SelectorError(`found '${token.text}', expected: identifier`);
  return token.text;
}
