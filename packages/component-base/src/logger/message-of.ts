/** What an error says; other things that are thrown say themselves. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
