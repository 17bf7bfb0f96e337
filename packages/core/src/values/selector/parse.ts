// The parser of label selectors.
import { labelKeyProblems } from "./label-syntax.ts";
import { lexSelector, type Token } from "./lex.ts";
import { checkRequirement, invalid, type Operator, type Requirement } from "./requirement.ts";

const word = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const pair = `([a-z0-9]+([-.][a-z0-9]+)*/)?${word}=${word}`;
/** What nearly all selectors look like: a=b,example.com/c=d. */
const simplest = new RegExp(`^${pair}(,${pair})*$`);

/** What is wrong with the text of a label selector, in upstream's words; undefined when it parses. */
export function selectorTextProblem(text: string): string | undefined {
  if (text.length < 254 && simplest.test(text)) return undefined;
  const requirements = parseRequirements(text);
  return typeof requirements === "string" ? requirements : undefined;
}

/**
 * The requirements of a text such as "app=shop,tier in (a,b),!canary", or its first problem in upstream's words.
 *
 * @upstream apimachinery/pkg/labels/selector.go#Parser.parse
 */
export function parseRequirements(text: string, maxProblems?: number): readonly Requirement[] | string {
  const cursor: Cursor = { tokens: lexSelector(text), at: 0 };
  const requirements: Requirement[] = [];
  for (;;) {
    const start = peek(cursor);
    if (start.kind === "end") return requirements;
    if (!isIdentifier(start) && start.kind !== "!")
      return `found '${start.text}', expected: !, identifier, or 'end of string'`;
    const requirement = parseRequirement(cursor, maxProblems);
    if (typeof requirement === "string") return `unable to parse requirement: ${requirement}`;
    requirements.push(requirement);
    const next = take(cursor);
    if (next.kind === "end") return requirements;
    if (next.kind !== ",") return `found '${next.text}', expected: ',' or 'end of string'`;
    const after = peek(cursor);
    if (!isIdentifier(after) && after.kind !== "!")
      return `found '${after.text}', expected: identifier after ','`;
  }
}

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
}

const end: Token = { kind: "end", text: "" };

function peek(cursor: Cursor): Token {
  return cursor.tokens[cursor.at] ?? end;
}

function take(cursor: Cursor): Token {
  const token = peek(cursor);
  cursor.at++;
  return token;
}

/** "in" and "notin" may stand where a key or a value may. */
function isIdentifier(token: Token): boolean {
  return token.kind === "identifier" || token.kind === "in" || token.kind === "notin";
}

function parseRequirement(cursor: Cursor, maxProblems: number | undefined): Requirement | string {
  let token = take(cursor);
  const isNegated = token.kind === "!";
  if (isNegated) token = take(cursor);
  if (!isIdentifier(token)) return `found '${token.text}', expected: identifier`;
  const key = token.text;
  const keyProblems = labelKeyProblems(key);
  if (keyProblems.length > 0) return invalid("<nil>", key, keyProblems.join("; "));
  const next = peek(cursor);
  if (isNegated) return checkRequirement(key, "!", []);
  if (next.kind === "end" || next.kind === ",") return checkRequirement(key, "exists", []);
  const operation = take(cursor);
  const operator = binaryOperators[operation.kind];
  if (operator === undefined) return `found '${operation.text}', expected: in, notin, =, ==, !=, gt, lt`;
  const values = operator === "in" || operator === "notin" ? parseValues(cursor) : parseValue(cursor);
  return typeof values === "string" ? values : checkRequirement(key, operator, values, maxProblems);
}

const binaryOperators: Readonly<Partial<Record<Token["kind"], Operator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "=",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/** The one value of a comparison, or a problem. */
function parseValue(cursor: Cursor): readonly string[] | string {
  const next = peek(cursor);
  if (next.kind === "end" || next.kind === ",") return [""];
  const token = take(cursor);
  return isIdentifier(token) ? [token.text] : `found '${token.text}', expected: identifier`;
}

/** The set in parentheses, or a problem. */
function parseValues(cursor: Cursor): readonly string[] | string {
  const open = take(cursor);
  if (open.kind !== "(") return `found '${open.text}' expected: '('`;
  const first = peek(cursor);
  if (first.kind === ")") {
    take(cursor);
    return [""];
  }
  if (!isIdentifier(first) && first.kind !== ",") {
    return `found '${first.text}', expected: ',', ')' or identifier`;
  }
  const list = parseList(cursor);
  if (typeof list === "string") return list;
  return take(cursor).kind === ")" ? list : `found '${first.text}', expected: ')'`;
}

function parseList(cursor: Cursor): readonly string[] | string {
  const values = new Set<string>();
  for (;;) {
    const token = take(cursor);
    if (isIdentifier(token)) {
      values.add(token.text);
      const next = peek(cursor);
      if (next.kind === ")") return [...values].sort();
      if (next.kind !== ",") return `found '${next.text}', expected: ',' or ')'`;
    } else if (token.kind === ",") {
      const next = peek(cursor);
      if (values.size === 0 || next.kind === ")" || next.kind === ",") values.add("");
      if (next.kind === ")") return [...values].sort();
    } else {
      return `found '${token.text}', expected: ',', or identifier`;
    }
  }
}
