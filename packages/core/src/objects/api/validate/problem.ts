import type { Fields } from "../../../values/fields.ts";

/** One reason why the API would refuse an object. */
export interface Problem {
  /** Such as `spec.metrics[0].resource.target.averageUtilization`. */
  readonly path: string;
  readonly type: "Required" | "Invalid" | "NotSupported" | "Forbidden" | "TooLong";
  /** What is there, where that helps. */
  readonly value?: unknown;
  readonly message: string;
}

export function required(path: string, message = ""): Problem {
  return { path, type: "Required", message };
}

export function invalid(path: string, value: unknown, message: string): Problem {
  return { path, type: "Invalid", value, message };
}

export function forbidden(path: string, message: string): Problem {
  return { path, type: "Forbidden", message };
}

export function notSupported(path: string, value: unknown, supported: readonly string[]): Problem {
  const list = supported.map((item) => JSON.stringify(item)).join(", ");
  return { path, type: "NotSupported", value, message: `supported values: ${list}` };
}

/** The problems among what checks gave, in order. */
export function found(checks: readonly (Problem | readonly Problem[] | false)[]): readonly Problem[] {
  return checks.flatMap((check) => check || []);
}

/** An own field; null is absent, and what the prototype brings is not there. */
export function field(object: Fields, key: string): unknown {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return value === null ? undefined : value;
}
