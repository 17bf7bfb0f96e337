import type { Node, Pipeline } from "./ast.ts";
import { TemplateError } from "./error.ts";
import { lex, type Segment, type Token } from "./lexer.ts";
import { type ActionReader, parsePipeline, readAction, type Scope } from "./pipeline-parser.ts";

/**
 * Parses Go's text/template language between << and >>.
 * @throws TemplateError with line and column.
 * @upstream text/template/parse/parse.go#Parse
 */
export function parseTemplate(text: string): readonly Node[] {
  const reader: SegmentReader = { text, segments: lex(text), next: 0 };
  const scope: Scope = { variables: ["$"] };
  const block = parseBlock(reader, scope, 0);
  if (block.end !== undefined)
    throw new TemplateError(`unexpected <<${block.end.word}>>`, text, block.end.offset);
  return block.nodes;
}

interface SegmentReader {
  readonly text: string;
  readonly segments: readonly Segment[];
  next: number;
}

interface BlockEnd {
  readonly word: "end" | "else";
  readonly offset: number;
  /** What follows "else": an "if" or "with" to nest, or nothing. */
  readonly action: ActionReader;
}

interface Block {
  readonly nodes: readonly Node[];
  readonly end: BlockEnd | undefined;
}

/** Nesting is bounded, so that a hostile text cannot exhaust the stack. */
const DEEPEST = 100;

const UNSUPPORTED = new Set(["define", "template", "block"]);

function parseBlock(reader: SegmentReader, scope: Scope, loops: number, depth = 0): Block {
  const nodes: Node[] = [];
  while (reader.next < reader.segments.length) {
    const segment = reader.segments[reader.next];
    reader.next += 1;
    if (segment === undefined) break;
    if (segment.kind === "text") {
      nodes.push(segment);
      continue;
    }
    const action = readAction(reader.text, segment.tokens);
    const first = action.peek();
    const word = first.kind === "identifier" ? first.text : "";
    if (word === "end" || word === "else") {
      action.take();
      if (word === "end") action.expectEnd("end");
      return { nodes, end: { word, offset: first.offset, action } };
    }
    const context = { reader, scope, loops, depth, opener: first };
    nodes.push(parseAction(action, word, context));
  }
  return { nodes, end: undefined };
}

interface ActionContext {
  readonly reader: SegmentReader;
  readonly scope: Scope;
  readonly loops: number;
  readonly depth: number;
  readonly opener: Token;
}

function parseAction(action: ActionReader, word: string, context: ActionContext): Node {
  const { reader, opener } = context;
  if (UNSUPPORTED.has(word))
    throw new TemplateError(`<<${word}>> is not supported`, reader.text, opener.offset);
  if (word === "if" || word === "with" || word === "range") {
    action.take();
    return parseControl(action, word, context);
  }
  if (word === "break" || word === "continue") {
    action.take();
    action.expectEnd(word);
    if (context.loops === 0)
      throw new TemplateError(`<<${word}>> outside <<range>>`, reader.text, opener.offset);
    return { kind: word };
  }
  return { kind: "output", pipeline: parsePipeline(action, { scope: context.scope, context: "command" }) };
}

function parseControl(action: ActionReader, kind: "if" | "with" | "range", context: ActionContext): Node {
  const { reader, scope, loops, opener } = context;
  const depth = context.depth + 1;
  if (depth > DEEPEST) throw new TemplateError("nested too deeply", reader.text, opener.offset);
  const outer = scope.variables.length;
  const pipeline: Pipeline = parsePipeline(action, { scope, context: kind });
  const body = parseBlock(reader, scope, kind === "range" ? loops + 1 : loops, depth);
  let otherwise: readonly Node[] = [];
  if (body.end?.word === "else") {
    otherwise = parseElse(body.end, kind, { ...context, depth });
  } else if (body.end === undefined) {
    throw new TemplateError(`<<${kind}>> without <<end>>`, reader.text, opener.offset);
  }
  scope.variables.length = outer;
  return { kind, pipeline, body: body.nodes, otherwise };
}

function parseElse(end: BlockEnd, kind: "if" | "with" | "range", context: ActionContext): readonly Node[] {
  const { reader, scope, loops, depth } = context;
  const next = end.action.peek();
  // "else if" closes with the same <<end>> as the <<if>> it belongs to.
  if (next.kind === "identifier" && next.text === kind && kind !== "range") {
    end.action.take();
    return [parseControl(end.action, kind, context)];
  }
  end.action.expectEnd("else");
  const block = parseBlock(reader, scope, loops, depth);
  if (block.end?.word === "end") return block.nodes;
  const offset = block.end?.offset ?? end.offset;
  throw new TemplateError(
    block.end === undefined ? "<<else>> without <<end>>" : "unexpected <<else>>",
    reader.text,
    offset,
  );
}
