// Evaluates parsed templates.
import type { Command, Control, Node, Operand, Pipeline } from "./ast.ts";
import { type Budget, countCall, countOperand, countSteps, requireOutput } from "./budget.ts";
import { CallError, TemplateError } from "./error.ts";
import { callFunction } from "./functions.ts";
import {
  formatValue,
  isList,
  isMap,
  isStruct,
  isTrue,
  sortedEntries,
  type TemplateStruct,
  typeName,
  type Value,
} from "./values.ts";

interface Variable {
  readonly name: string;
  value: Value;
}

/** Functions that look into a text: they get the names that it stands for, not what stands in for them. */
const LOOKS_INSIDE: ReadonlySet<string> = new Set([
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "len",
  "index",
  "slice",
]);

interface Run extends Budget {
  readonly actual: (text: string) => string;
  readonly variables: Variable[];
  output: string;
}

type Flow = "next" | "break" | "continue";

/**
 * Renders parsed nodes over data.
 * @throws TemplateError when the data has no such field, or a function refuses its arguments.
 * @upstream text/template/exec.go
 */
export function evaluate(
  text: string,
  nodes: readonly Node[],
  data: TemplateStruct,
  actual: (text: string) => string = (one) => one,
): string {
  const run: Run = { text, actual, variables: [{ name: "$", value: data }], output: "", steps: 0 };
  runNodes(run, nodes, data);
  return run.output;
}

function runNodes(run: Run, nodes: readonly Node[], dot: Value): Flow {
  for (const node of nodes) {
    countSteps(run, 1, 0);
    const flow = runNode(run, node, dot);
    if (flow !== "next") return flow;
  }
  return "next";
}

function append(run: Run, part: string): void {
  requireOutput(run, run.output.length + part.length);
  run.output += part;
}

function runNode(run: Run, node: Node, dot: Value): Flow {
  switch (node.kind) {
    case "text":
      append(run, node.text);
      return "next";
    case "output": {
      const value = evalPipeline(run, node.pipeline, dot);
      if (node.pipeline.variables.length === 0)
        append(run, value === undefined ? "<no value>" : formatValue(value));
      return "next";
    }
    case "if":
    case "with":
      return inScope(run, () => {
        const value = evalPipeline(run, node.pipeline, dot);
        if (!isTrue(value)) return runNodes(run, node.otherwise, dot);
        return runNodes(run, node.body, node.kind === "with" ? value : dot);
      });
    case "range":
      return inScope(run, () => runRange(run, node, dot));
    case "break":
    case "continue":
    default:
      return node.kind;
  }
}

function inScope(run: Run, body: () => Flow): Flow {
  const outer = run.variables.length;
  const flow = body();
  run.variables.length = outer;
  return flow;
}

function runRange(run: Run, node: Control, dot: Value): Flow {
  const { pipeline } = node;
  // As in Go: without items, the variables hold what was to be ranged over.
  const value = evalPipeline(run, pipeline, dot);
  const items = rangeItems(run, value, pipeline);
  if (items.length === 0) return runNodes(run, node.otherwise, dot);
  for (const [key, item] of items) {
    const isDone = inScope(run, () => {
      const [first, second] = pipeline.variables;
      if (second !== undefined && first !== undefined) {
        bind(run, first, key, pipeline);
        bind(run, second, item, pipeline);
      } else if (first !== undefined) {
        bind(run, first, item, pipeline);
      }
      return runNodes(run, node.body, item);
    });
    if (isDone === "break") break;
  }
  return "next";
}

function rangeItems(
  run: Run,
  value: Value,
  { offset, variables }: Pipeline,
): readonly (readonly [Value, Value])[] {
  const isPair = variables.length === 2;
  if (value === undefined) return [];
  if (isList(value)) {
    countSteps(run, value.length, offset);
    return [...value.entries()];
  }
  if (isMap(value)) {
    countSteps(run, value.size, offset);
    return sortedEntries(value);
  }
  if (typeof value === "number") {
    countSteps(run, Math.max(0, value), offset);
    if (isPair) throw new TemplateError("range over a number has one variable", run.text, offset);
    return Array.from({ length: Math.max(0, value) }, (_, at) => [at, at]);
  }
  throw new TemplateError(`range cannot iterate over ${typeName(value)}`, run.text, offset);
}

function bind(run: Run, name: string, value: Value, { declares, offset }: Pipeline): void {
  if (declares) run.variables.push({ name, value });
  else variableOf(run, name, offset).value = value;
}

/** One of a branch that was not taken is known to the parser only. */
function variableOf(run: Run, name: string, offset: number): Variable {
  const found = run.variables.findLast((variable) => variable.name === name);
  if (found === undefined) throw new TemplateError(`undefined variable $${name}`, run.text, offset);
  return found;
}

function evalPipeline(run: Run, pipeline: Pipeline, dot: Value): Value {
  const value = evalCommands(run, pipeline, dot);
  for (const name of pipeline.variables) bind(run, name, value, pipeline);
  return value;
}

function evalCommands(run: Run, pipeline: Pipeline, dot: Value): Value {
  let piped: readonly Value[] = [];
  for (const command of pipeline.commands) piped = [evalCommand(run, command, { dot, piped })];
  return piped[0];
}

interface Context {
  readonly dot: Value;
  /** The result of the stage before, as the last argument. */
  readonly piped: readonly Value[];
}

function evalCommand(run: Run, command: Command, { dot, piped }: Context): Value {
  const [head, ...operands] = command.operands;
  if (head === undefined) throw new TemplateError("missing value", run.text, command.offset);
  if (head.kind !== "function") return evalOperand(run, head, dot);
  const args: Value[] = [];
  for (const operand of operands) {
    const value = evalOperand(run, operand, dot);
    args.push(value);
    // Later arguments of and/or may be ones that would fail.
    if (head.name === "and" && !isTrue(value)) return value;
    if (head.name === "or" && isTrue(value)) return value;
  }
  return call(run, head, [...args, ...piped]);
}

function call(run: Run, head: Operand & { kind: "function" }, args: readonly Value[]): Value {
  countCall(run, head.name, args, head.offset);
  const actual = (arg: Value): Value => (typeof arg === "string" ? run.actual(arg) : arg);
  try {
    return callFunction(head.name, LOOKS_INSIDE.has(head.name) ? args.map(actual) : args);
  } catch (error) {
    if (error instanceof CallError) throw new TemplateError(error.message, run.text, head.offset);
    throw error;
  }
}

function evalOperand(run: Run, operand: Operand, dot: Value): Value {
  countOperand(run, operand.kind === "variable" ? run.variables.length : 0, operand.offset);
  switch (operand.kind) {
    case "literal":
      return operand.value;
    case "dot":
      return follow(run, dot, operand.path, operand.offset);
    case "variable":
      return follow(run, variableOf(run, operand.name, operand.offset).value, operand.path, operand.offset);
    case "pipeline":
      return follow(run, evalPipeline(run, operand.pipeline, dot), operand.path, operand.offset);
    case "function":
    default:
      return call(run, operand, []);
  }
}

function follow(run: Run, start: Value, path: readonly string[], offset: number): Value {
  let value = start;
  for (const name of path) {
    // As in Go: a field of a key that a map lacks is as missing as the key.
    if (value === undefined) return undefined;
    if (isMap(value)) {
      value = value.get(name);
    } else if (typeof value === "object" && isStruct(value) && value.fields.has(name)) {
      value = value.fields.get(name);
    } else {
      throw new TemplateError(`no field .${name} in ${typeName(value)}`, run.text, offset);
    }
  }
  return value;
}
