/** Something in the rules file that stops it from loading, or, as a warning, that does not do what it seems to. */
export interface Problem {
  /** Where in the document: "rules[0].metricsQuery". Empty for the document itself. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** One line for a log or a terminal: "rules.yaml:12:5: rules[0].name.matches: …". */
export function formatProblem(fileName: string, problem: Problem): string {
  const path = problem.path === "" ? "" : `${problem.path}: `;
  return `${fileName}:${problem.line}:${problem.column}: ${path}${problem.message}`;
}
