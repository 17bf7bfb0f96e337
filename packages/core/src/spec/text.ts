/** Reads untrusted data as text; anything else is empty. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
