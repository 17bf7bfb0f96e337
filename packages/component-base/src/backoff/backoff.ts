/** A delay that doubles with each attempt (0 is the first) up to `maxMs`, drawn from its upper half. */
export function backoffMs(
  attempt: number,
  limits: { readonly baseMs: number; readonly maxMs: number; readonly random: () => number },
): number {
  const { baseMs, maxMs, random } = limits;
  const fullMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return fullMs * (0.5 + random() / 2);
}
