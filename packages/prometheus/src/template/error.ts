// Errors of Go templates, with positions.

/** A template that cannot be read, or cannot be rendered. The position is within the template text, from 1. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly reason: string;
  readonly line: number;
  readonly column: number;

  constructor(reason: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const line = before.split("\n").length;
    const column = offset - before.lastIndexOf("\n");
    super(`${reason} (line ${line}, column ${column})`);
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

/** A function that refuses its arguments; the evaluator adds the position. */
export class CallError extends Error {
  override readonly name = "CallError";
}
