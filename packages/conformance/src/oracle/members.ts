// Untyped JSON objects of cases.

/** A JSON object of which nothing more is known. */
export type Members = Readonly<Record<string, unknown>>;

export function withoutMembers(object: Members, ...names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
