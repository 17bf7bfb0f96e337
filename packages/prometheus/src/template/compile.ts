import { checkFields, type FieldReport, type FieldType } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { parseTemplate } from "./parser.ts";
import type { Value } from "./values.ts";

/** A template that has been read and can be rendered any number of times. */
export interface Template<Field extends string = string> {
  readonly text: string;
  readonly fields: FieldReport;
  /** @throws TemplateError when the template does something that the data does not allow. */
  render(data: Readonly<Record<Field, Value>>): string;
}

/**
 * Compiles Go text/template source with the delimiters << and >>.
 * @param fieldTypes the fields of the data at the root.
 * @throws TemplateError with line and column, when the text is no template.
 */
export function compileTemplate<Field extends string>(
  text: string,
  fieldTypes: Readonly<Record<Field, FieldType>>,
): Template<Field> {
  const nodes = parseTemplate(text);
  const fields = checkFields(text, nodes, new Map(Object.entries<FieldType>(fieldTypes)));
  return {
    text,
    fields,
    render: (data) => evaluate(text, nodes, { fields: new Map(Object.entries<Value>(data)) }),
  };
}
