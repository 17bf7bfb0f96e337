import type { Node } from "./ast.ts";
import { checkFields, type FieldReport, type FieldType } from "./check.ts";
import { TemplateError } from "./error.ts";
import { evaluate } from "./evaluate.ts";
import { parseTemplate } from "./parser.ts";
import type { Value } from "./values.ts";

const MAX_LENGTH = 64 * 1024;

/** A template that has been read and can be rendered any number of times. */
export interface Template<Field extends string = string> {
  readonly text: string;
  readonly fields: FieldReport;
  /** The fields that it puts out, in order, when it is text and fields and nothing else. */
  readonly plainFields: readonly string[] | undefined;
  /**
   * @param actual What a text stands for, for functions that look into it.
   * @throws TemplateError when the template does something that the data does not allow.
   */
  render(data: Readonly<Record<Field, Value>>, actual?: (text: string) => string): string;
}

/**
 * Compiles Go text/template source with the delimiters << and >>.
 * @param fieldTypes the fields of the data at the root.
 * @param typeName what Go calls the type of that data.
 * @throws TemplateError with line and column, when the text is not a template.
 */
export function compileTemplate<Field extends string>(
  text: string,
  fieldTypes: Readonly<Record<Field, FieldType>>,
  typeName: string,
): Template<Field> {
  if (text.length > MAX_LENGTH) throw new TemplateError(`longer than ${MAX_LENGTH} characters`, text, 0);
  const nodes = parseTemplate(text);
  const fields = checkFields(text, nodes, new Map(Object.entries<FieldType>(fieldTypes)));
  return {
    text,
    fields,
    plainFields: plainFields(nodes),
    render: (data, actual) =>
      evaluate(text, nodes, { name: typeName, fields: new Map(Object.entries<Value>(data)) }, actual),
  };
}

function plainFields(nodes: readonly Node[]): readonly string[] | undefined {
  const fields: string[] = [];
  for (const node of nodes) {
    if (node.kind === "text") continue;
    if (node.kind !== "output" || node.pipeline.variables.length > 0) return undefined;
    const [command, ...piped] = node.pipeline.commands;
    const [operand, ...more] = command?.operands ?? [];
    if (piped.length > 0 || more.length > 0 || operand?.kind !== "dot") return undefined;
    const [field, ...deeper] = operand.path;
    if (field === undefined || deeper.length > 0) return undefined;
    fields.push(field);
  }
  return fields;
}
