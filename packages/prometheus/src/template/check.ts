import type { Node, Operand, Pipeline } from "./ast.ts";
import { TemplateError } from "./error.ts";

/** What a field of the root holds. */
export type FieldType = "string" | "list" | "map";

export interface FieldReport {
  /** Root fields that the template reads, wherever it does. */
  readonly used: ReadonlySet<string>;
  /** Fields that no data will have: rendering fails when it comes to them. */
  readonly unknown: readonly TemplateError[];
}

type StaticType = FieldType | "root" | "unknown";

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
    const item: StaticType = type === "list" || type === "map" ? "string" : "unknown";
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
    check.variables.set(name, known === undefined || known === type ? type : "unknown");
  }
}

function checkPipeline(check: Check, pipeline: Pipeline, dot: StaticType): StaticType {
  let type: StaticType = "unknown";
  for (const command of pipeline.commands) {
    const types = command.operands.map((operand) => checkOperand(check, operand, dot));
    type =
      types.length === 1 && command.operands[0]?.kind !== "function" ? (types[0] ?? "unknown") : "unknown";
  }
  return type;
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

function report(check: Check, name: string, offset: number): StaticType {
  const known = [...check.fields.keys()].map((field) => `.${field}`).join(", ");
  check.unknown.push(new TemplateError(`there is no field .${name}; there are ${known}`, check.text, offset));
  return "unknown";
}
