/** One place where a result is not the expected one. */
export interface Difference {
  /** Of the case in its file. */
  readonly name: string;
  /** Such as `expect.replicas` or `steps[3].expect.events[0].reason`. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** A difference within one case. */
export type CaseDifference = Omit<Difference, "name">;

export function differ(path: string, expected: unknown, actual: unknown): CaseDifference {
  return { path, expected: show(expected), actual: show(actual) };
}

function show(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
