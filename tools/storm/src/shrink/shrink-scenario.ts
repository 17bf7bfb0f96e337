// Reduces a scenario to what a violation needs.
import type { Found, Violation } from "../run/violation.ts";
import type { PlannedEvent, Scenario, SetupObject } from "../scenario/scenario.ts";
import { shrinkList } from "./shrink-list.ts";

export interface ShrinkOptions {
  readonly run: (scenario: Scenario) => Promise<Violation | undefined>;
  readonly isOver: () => boolean;
}

/** A scenario that violates the same invariant. First events are left out, then objects of the setup, then events once more; none comes after the violation. */
export async function shrinkScenario(found: Found, options: ShrinkOptions): Promise<Found> {
  let best = found;

  async function accepts(scenario: Scenario): Promise<boolean> {
    const violation = await options.run(scenario);
    if (violation?.invariant !== best.violation.invariant) return false;
    best = { scenario, violation };
    return true;
  }
  const withEvents = (events: readonly PlannedEvent[]) => accepts({ ...best.scenario, events });
  const withObjects = (objects: readonly SetupObject[]) =>
    accepts({ ...best.scenario, setup: { ...best.scenario.setup, objects } });

  await accepts(withoutLaterEvents(best));
  await shrinkList(best.scenario.events, withEvents, options.isOver);
  await shrinkList(best.scenario.setup.objects, withObjects, options.isOver);
  await shrinkList(best.scenario.events, withEvents, options.isOver);
  return best;
}

/** What happens after the violation did not cause it. */
export function withoutLaterEvents({ scenario, violation }: Found): Scenario {
  const { stormMs } = scenario;
  if (violation.atMs >= stormMs) return scenario;
  const events = scenario.events.filter(({ atMs }) => atMs <= violation.atMs);
  return { ...scenario, events };
}
