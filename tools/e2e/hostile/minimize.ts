import type { Attack, Step } from "./attack.ts";
import type { Outcome } from "./run.ts";

/** One of the steps that alone does the harm, with those that only prepare; the whole where none does. */
export async function smallest(attack: Attack, run: (attack: Attack) => Promise<Outcome>): Promise<Attack> {
  const prepares = attack.steps.filter(isPreparation);
  const acts = attack.steps.filter((step) => !isPreparation(step));
  if (acts.length < 2) return attack;
  for (const [index, step] of acts.entries()) {
    const one = { ...attack, name: `${attack.name}-${index}`, steps: [...needed(prepares, step), step] };
    const outcome = await run(one);
    if (outcome.violations.length > 0) return one;
  }
  return attack;
}

const isPreparation = ({ series, prometheus }: Step) =>
  prometheus !== undefined || series?.metric.startsWith("hostile_") === true;

/** Those of a metric that the step names. */
function needed(prepares: readonly Step[], step: Step): readonly Step[] {
  const text = JSON.stringify(step);
  return prepares.filter(({ series, prometheus }) =>
    text.includes(series?.metric ?? prometheus?.metric ?? ""),
  );
}
