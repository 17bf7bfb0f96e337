// Refuses what a live query cannot have.
import { Refused, type SyntaxNode, shown } from "@plimsoll/prometheus/tree";
import type { ScalarStep, Step, VectorStep } from "./plan.ts";

/** What is being compiled. */
export interface Source {
  readonly query: string;
  /** Compiles a part of the query. @throws Refused */
  compile(node: SyntaxNode): Step;
}

/** PromQL that a short window does not answer exactly, or that is left out. */
export function unsupported(what: string, node: SyntaxNode): Refused {
  const message = `${what} isn't supported in a live query: send the query to Prometheus, without "live"`;
  return new Refused("Unsupported", message, node);
}

/** What Prometheus would refuse, too. */
export function invalid(query: string, node: SyntaxNode, problem: string): Refused {
  return new Refused("Syntax", `${shown(query, node)}: ${problem}`, node);
}

interface Arguments {
  readonly name: string;
  readonly expected: number;
  readonly found: number;
}

export function wrongCount(query: string, node: SyntaxNode, { name, expected, found }: Arguments): Refused {
  return invalid(
    query,
    node,
    `${name}() takes ${expected} ${expected === 1 ? "argument" : "arguments"}, not ${found}`,
  );
}

const described: Readonly<Record<Step["type"], string>> = {
  vector: "an instant vector",
  scalar: "a scalar",
  matrix: "a range vector",
};

export function vectorOf(source: Source, node: SyntaxNode, place: string): VectorStep {
  const step = source.compile(node);
  if (step.type === "vector") return step;
  throw invalid(source.query, node, `${place} must be an instant vector, not ${described[step.type]}`);
}

export function scalarOf(source: Source, node: SyntaxNode, place: string): ScalarStep {
  const step = source.compile(node);
  if (step.type === "scalar") return step;
  throw invalid(source.query, node, `${place} must be a scalar, not ${described[step.type]}`);
}
