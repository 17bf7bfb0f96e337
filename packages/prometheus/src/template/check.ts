// Checks the fields that a template reads.
import type { Node, Operand, Pipeline } from "./ast.ts";
import { TemplateError } from "./error.ts";

/** What a field of the root holds. */
export type FieldType = "string" | "list" | "map";

export interface FieldReport {
  /** Root fields that the template reads, wherever it does. */
  readonly used: ReadonlySet<string>;
  /** The first fields that no data will have: rendering fails when it comes to them. */
  readonly unknown: readonly TemplateError[];
}

type StaticType = FieldType | "root" | "unknown" | "maybe string";

interface Check {
  readonly text: string;
  readonly fields: ReadonlyMap<string, FieldType>;
  readonly used: Set<string>;
  readonly unknown: TemplateError[];
  readonly variables: Map<string, StaticType>;
}

/** Finds every field that a template reads, following the dot through range and with. */
export function checkFields(
  text: string,
  nodes: readonly Node[],
  fields: ReadonlyMap<string, FieldType>,
): FieldReport {
  const check: Check = { text, fields, used: new Set(), unknown: [], variables: new Map([["$", "root"]]) };
  checkNodes(check, nodes, "root");
  return { used: check.used, unknown: check.unknown };
}

function checkNodes(check: Check, nodes: readonly Node[], dot: StaticType): void {
  for (const node of nodes) {
    if (node.kind === "text" || node.kind === "break" || node.kind === "continue") continue;
    const type = checkPipeline(check, node.pipeline, dot);
    if (node.kind === "output") {
      declare(check, node.pipeline.variables, [type]);
      continue;
    }
    const item = itemOf(type);
    if (node.kind === "range") {
      const names = node.pipeline.variables;
      declare(check, names, names.length === 2 ? ["unknown", item] : [item]);
    } else {
      declare(check, node.pipeline.variables, [type]);
    }
    checkNodes(check, node.body, node.kind === "range" ? item : node.kind === "with" ? type : dot);
    checkNodes(check, node.otherwise, dot);
  }
}

function declare(check: Check, names: readonly string[], types: readonly StaticType[]): void {
  for (const [at, name] of names.entries()) {
    const known = check.variables.get(name);
    const type = types[at] ?? "unknown";
    // A name that is used twice may hold either.
    check.variables.set(name, known === undefined ? type : oneOf([known, type]));
  }
}

/** The type of what a range gives. */
function itemOf(type: StaticType): StaticType {
  return type === "list" || type === "map" ? "string" : "maybe string";
}

/** The type of a value that has one of several. */
function oneOf(types: readonly StaticType[]): StaticType {
  const [first = "unknown", ...others] = types;
  if (others.every((type) => type === first)) return first;
  return types.some((type) => type === "string" || type === "maybe string") ? "maybe string" : "unknown";
}

function checkPipeline(check: Check, pipeline: Pipeline, dot: StaticType): StaticType {
  let type: StaticType = "unknown";
  for (const [stage, command] of pipeline.commands.entries()) {
    const own = command.operands.map((operand) => checkOperand(check, operand, dot));
    // The result of the stage before is the last argument.
    const types: readonly StaticType[] = stage === 0 ? own : [...own, type];
    const [head] = command.operands;
    if (head?.kind === "function") type = resultType(check, head, types.slice(1));
    else type = types[0] ?? "unknown";
  }
  return type;
}

function resultType(
  check: Check,
  { name, offset }: Operand & { kind: "function" },
  [first, ...others]: readonly StaticType[],
): StaticType {
  if (name.startsWith("print")) return "string";
  if (name === "slice") return first ?? "unknown";
  if (first === undefined) return "unknown";
  if (name === "and" || name === "or") return oneOf([first, ...others]);
  if (name !== "index") return "unknown";
  if (others.length === 0) return first;
  if (first === "string" || first === "maybe string" || others.length > 1)
    throw new TemplateError("index of a string is not supported", check.text, offset);
  return "string";
}

function checkOperand(check: Check, operand: Operand, dot: StaticType): StaticType {
  switch (operand.kind) {
    case "literal":
      return typeof operand.value === "string" ? "string" : "unknown";
    case "function":
      return "unknown";
    case "dot":
      return followType(check, dot, operand.path, operand.offset);
    case "variable":
      return followType(check, check.variables.get(operand.name) ?? "unknown", operand.path, operand.offset);
    case "pipeline":
    default:
      return followType(check, checkPipeline(check, operand.pipeline, dot), operand.path, operand.offset);
  }
}

function followType(check: Check, start: StaticType, path: readonly string[], offset: number): StaticType {
  let type = start;
  for (const name of path) {
    if (type === "root") {
      const field = check.fields.get(name);
      if (field === undefined) return report(check, name, offset);
      check.used.add(name);
      type = field;
    } else if (type === "map") {
      type = "string";
    } else if (type === "string" || type === "list") {
      return report(check, name, offset);
    }
  }
  return type;
}

const MOST_REPORTED = 100;

function report(check: Check, name: string, offset: number): StaticType {
  if (check.unknown.length >= MOST_REPORTED) return "unknown";
  const known = [...check.fields.keys()].map((field) => `.${field}`).join(", ");
  check.unknown.push(new TemplateError(`no field .${name}; use one of ${known}`, check.text, offset));
  return "unknown";
}
