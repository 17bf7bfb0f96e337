// What was read, or why it was not.

/** A value, or the reason why it could not be read, such as "may not list nodes". */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export function known<T>(value: T): Reading<T> {
  return { ok: true, value };
}

export function unknown(reason: string): Reading<never> {
  return { ok: false, reason };
}

/** The value where it was read. */
export function valueOf<T>(reading: Reading<T>): T | undefined {
  return reading.ok ? reading.value : undefined;
}
