// Several attacks at once, which takes less time than one after the other.
import type { Attack } from "./attack.ts";
import type { Outcome } from "./run.ts";

/** Neighbors in the list attack the same thing: they go to different groups. */
export function groupsOf(attacks: readonly Attack[], size: number): readonly (readonly Attack[])[] {
  const count = Math.ceil(attacks.length / size);
  return Array.from({ length: count }, (_, at) => attacks.filter((_attack, index) => index % count === at));
}

/**
 * All at once, and each alone when something did not hold: an attack that harms alone does so in company too. One outcome
 * for each attack.
 */
export async function runGroup(
  group: readonly Attack[],
  run: (name: string, attacks: readonly Attack[]) => Promise<Outcome>,
  show: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const outcome = await run(group.map(({ name }) => name).join(" + "), group);
  show(outcome);
  if (outcome.violations.length === 0 || group.length === 1)
    return group.map(({ name }) => ({ ...outcome, name }));
  const outcomes: Outcome[] = [];
  for (const attack of group) outcomes.push(...(await runGroup([attack], run, show)));
  return outcomes;
}
