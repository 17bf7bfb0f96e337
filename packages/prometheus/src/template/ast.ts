// The syntax tree of templates.

/** A parsed template. Offsets point into the template text. */
export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly pipeline: Pipeline }
  | Control
  | { readonly kind: "break" }
  | { readonly kind: "continue" };

/** What runs its body once, several times or not at all. */
export interface Control {
  readonly kind: "if" | "with" | "range";
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
}

export interface Pipeline {
  /** Names without "$". One, or for range up to two (index, element). */
  readonly variables: readonly string[];
  readonly declares: boolean;
  readonly commands: readonly Command[];
  readonly offset: number;
}

/** An operand alone, or a function with its arguments. */
export interface Command {
  readonly operands: readonly Operand[];
  readonly offset: number;
}

export type Operand = { readonly offset: number } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean | undefined }
  | { readonly kind: "dot"; readonly path: readonly string[] }
  | { readonly kind: "variable"; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "pipeline"; readonly pipeline: Pipeline; readonly path: readonly string[] }
  | { readonly kind: "function"; readonly name: string }
);
