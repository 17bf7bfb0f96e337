import type { ManualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed";

/** The condition holds after some time, which passes on this clock while the test waits, and only then. */
export function untilWith<T>(clock: ManualClock, what: string, ask: () => T | undefined): Promise<T> {
  return until(
    what,
    async () => {
      await clock.advance(250);
      return ask();
    },
    { everyMs: 5 },
  );
}
