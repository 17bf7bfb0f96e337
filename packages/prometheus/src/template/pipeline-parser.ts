// Parses the pipelines of template actions.
import type { Command, Operand, Pipeline } from "./ast.ts";
import { TemplateError } from "./error.ts";
import { readFormat } from "./format.ts";
import { isFunction } from "./functions.ts";
import { type Token, unquote } from "./lexer.ts";

/** The variables that can be seen, innermost last, without "$"; the root is "$". */
export interface Scope {
  readonly variables: string[];
}

export interface ActionReader {
  readonly text: string;
  peek(ahead?: number): Token;
  take(): Token;
  expectEnd(where: string): void;
}

export function readAction(text: string, tokens: readonly Token[]): ActionReader {
  let next = 0;
  const peek = (ahead = 0): Token => {
    const token = tokens[Math.min(next + ahead, tokens.length - 1)];
    if (token === undefined) throw new TemplateError("empty action", text, 0);
    return token;
  };
  return {
    text,
    peek,
    take() {
      const token = peek();
      next += 1;
      return token;
    },
    expectEnd(where) {
      const token = peek();
      if (token.kind !== "end") throw unexpected(text, token, where);
    },
  };
}

export interface PipelineOptions {
  readonly scope: Scope;
  readonly context: "command" | "if" | "with" | "range" | "parenthesis";
  readonly depth?: number;
}

const DEEPEST = 50;

export function parsePipeline(action: ActionReader, options: PipelineOptions): Pipeline {
  const offset = action.peek().offset;
  const { variables, declares } = parseVariables(action, options);
  const commands: Command[] = [];
  for (;;) {
    commands.push(parseCommand(action, options, commands.length + 1));
    const token = action.take();
    if (token.kind === "pipe") continue;
    const closer = options.context === "parenthesis" ? "close" : "end";
    if (token.kind !== closer) throw unexpected(action.text, token, options.context);
    break;
  }
  return { variables, declares, commands, offset };
}

function parseVariables(
  action: ActionReader,
  options: PipelineOptions,
): { variables: string[]; declares: boolean } {
  const first = action.peek();
  const after = action.peek(1);
  if (first.kind !== "variable") return { variables: [], declares: false };
  const isPair = options.context === "range" && after.kind === "comma";
  const sign = action.peek(isPair ? 3 : 1);
  if (sign.kind !== "declare" && sign.kind !== "assign") {
    if (after.kind === "comma") throw unexpected(action.text, after, options.context);
    return { variables: [], declares: false };
  }
  const variables = [action.take()];
  if (isPair) {
    action.take();
    const second = action.take();
    if (second.kind !== "variable") throw unexpected(action.text, second, "range");
    variables.push(second);
  }
  action.take();
  const names = variables.map((variable) => variable.text);
  // As in Go: from here on it is known, also where it is assigned only. Rendering fails if it has no value then.
  options.scope.variables.push(...names);
  return { variables: names, declares: sign.kind === "declare" };
}

function parseCommand(action: ActionReader, options: PipelineOptions, stage: number): Command {
  const offset = action.peek().offset;
  const operands = parseOperands(action, options);
  const [first] = operands;
  if (first === undefined) throw new TemplateError("missing value", action.text, offset);
  if (first.kind === "literal" && first.value === undefined)
    throw new TemplateError("nil is not a command", action.text, offset);
  if (first.kind === "function" && first.name === "printf")
    checkFormat(action.text, first.offset, operands[1]);
  if (stage > 1 && (first.kind === "literal" || (first.kind === "dot" && first.path.length === 0)))
    throw new TemplateError(`a plain value cannot be stage ${stage} of a pipeline`, action.text, offset);
  if (first.kind !== "function" && (operands.length > 1 || stage > 1))
    throw new TemplateError("only a function takes arguments", action.text, offset);
  return { operands, offset };
}

function parseOperands(action: ActionReader, options: PipelineOptions): readonly Operand[] {
  const operands: Operand[] = [];
  for (;;) {
    const token = action.peek();
    if (token.kind === "end" || token.kind === "pipe" || token.kind === "close") return operands;
    if (operands.length > 0 && !token.hasSpaceBefore) throw unexpected(action.text, token, "operand");
    operands.push(parseOperand(action, options));
  }
}

/** A format that is known when the template is loaded is refused there, not at a request. */
function checkFormat(text: string, offset: number, operand: Operand | undefined): void {
  if (operand?.kind !== "literal" || typeof operand.value !== "string")
    throw new TemplateError("printf needs its format as a quoted string", text, offset);
  const parts = readFormat(operand.value);
  if (typeof parts === "string") throw new TemplateError(parts, text, operand.offset);
}

function parseOperand(action: ActionReader, options: PipelineOptions): Operand {
  const token = action.take();
  const { offset } = token;
  switch (token.kind) {
    case "field":
      return { kind: "dot", path: [token.text, ...parsePath(action)], offset };
    case "dot":
      return { kind: "dot", path: [], offset };
    case "variable":
      requireVariable(action.text, options.scope, token);
      return { kind: "variable", name: token.text, path: parsePath(action), offset };
    case "string":
      return { kind: "literal", value: token.text, offset };
    case "char":
      return { kind: "literal", value: charValue(action.text, token), offset };
    case "number":
      return { kind: "literal", value: numberValue(action.text, token), offset };
    case "open":
      return parenthesized(action, options, offset);
    case "identifier":
      return namedOperand(action.text, token);
    case "pipe":
    case "close":
    case "declare":
    case "assign":
    case "comma":
    case "end":
    default:
      throw unexpected(action.text, token, "operand");
  }
}

function parenthesized(action: ActionReader, options: PipelineOptions, offset: number): Operand {
  const depth = (options.depth ?? 0) + 1;
  if (depth > DEEPEST) throw new TemplateError("nested too deeply", action.text, offset);
  const pipeline = parsePipeline(action, { scope: options.scope, context: "parenthesis", depth });
  return { kind: "pipeline", pipeline, path: parsePath(action), offset };
}

const unsupportedFunctions: ReadonlySet<string> = new Set(["call", "html", "js", "urlquery"]);

function namedOperand(text: string, { text: name, offset }: Token): Operand {
  if (name === "true" || name === "false") return { kind: "literal", value: name === "true", offset };
  if (name === "nil") return { kind: "literal", value: undefined, offset };
  if (unsupportedFunctions.has(name))
    throw new TemplateError(`function ${name} is not supported`, text, offset);
  if (isFunction(name)) return { kind: "function", name, offset };
  throw new TemplateError(`function ${JSON.stringify(name)} is not defined`, text, offset);
}

function parsePath(action: ActionReader): string[] {
  const path: string[] = [];
  while (action.peek().kind === "field" && !action.peek().hasSpaceBefore) path.push(action.take().text);
  return path;
}

function requireVariable(text: string, scope: Scope, token: Token): void {
  const name = token.text;
  if (scope.variables.includes(name)) return;
  throw new TemplateError(
    `undefined variable ${name.startsWith("$") ? name : `$${name}`}`,
    text,
    token.offset,
  );
}

function numberValue(text: string, token: Token): number {
  const digits = token.text.replaceAll(/(?<=\w)_(?=\w)/g, "");
  const isWhole = /^[+-]?(?:0|[1-9]\d*|0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/.test(digits);
  if (!isWhole) {
    const isFloat = Number.isFinite(Number(digits.replace(/i$/, "")));
    const reason = isFloat ? "only whole numbers are supported" : "bad number";
    throw new TemplateError(`${reason}: ${token.text}`, text, token.offset);
  }
  const sign = digits.startsWith("-") ? -1 : 1;
  const magnitude = digits.replace(/^[+-]/, "").replace(/^0(?=[0-7])/, "0o");
  const value = sign * Number(magnitude);
  if (Number.isSafeInteger(value)) return value;
  throw new TemplateError(`numbers beyond 2^53 are not supported: ${token.text}`, text, token.offset);
}

function charValue(text: string, token: Token): number {
  const meaning = Array.from(unquote(token.text, text, token.offset));
  const code = meaning[0]?.codePointAt(0);
  if (code === undefined || meaning.length !== 1)
    throw new TemplateError(`bad character constant ${token.text}`, text, token.offset);
  return code;
}

function unexpected(text: string, token: Token, where: string): TemplateError {
  const what = token.kind === "end" ? "end of action" : JSON.stringify(token.text);
  return new TemplateError(`unexpected ${what} in ${where}`, text, token.offset);
}
