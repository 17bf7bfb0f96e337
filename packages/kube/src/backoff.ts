/** A delay that doubles with each attempt (0 is the first) up to `maxMs`, drawn from its upper half. */
export function backoffMs(
  attempt: number,
  o: { readonly baseMs: number; readonly maxMs: number; readonly random: () => number },
): number {
  const fullMs = Math.min(o.maxMs, o.baseMs * 2 ** Math.min(attempt, 30));
  return fullMs * (0.5 + o.random() / 2);
}
