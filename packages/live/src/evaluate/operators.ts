// The operators of PromQL between two numbers.

/** An operator with what is written beside it. */
export interface Operator {
  /** The name of its node in the tree. */
  readonly name: string;
  readonly isBool: boolean;
}

type Arithmetic = (left: number, right: number) => number;
type Comparison = (left: number, right: number) => boolean;

/** By the name of the node in the tree. `^` and `atan2` are left out: Go and JavaScript round them differently. */
export const arithmetic: ReadonlyMap<string, Arithmetic> = new Map<string, Arithmetic>([
  ["Add", (left, right) => left + right],
  ["Sub", (left, right) => left - right],
  ["Mul", (left, right) => left * right],
  ["Div", (left, right) => left / right],
  ["Mod", (left, right) => left % right],
]);

export const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["Eql", (left, right) => left === right],
  ["Neq", (left, right) => left !== right],
  ["Gtr", (left, right) => left > right],
  ["Lss", (left, right) => left < right],
  ["Gte", (left, right) => left >= right],
  ["Lte", (left, right) => left <= right],
]);

export const setOperators: ReadonlySet<string> = new Set(["And", "Or", "Unless"]);
