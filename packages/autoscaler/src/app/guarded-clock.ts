// A clock whose timers may throw: the exception is counted and logged, and ends nothing else.
import type { Clock, Logger } from "@plimsoll/component-base";
import { Counter, type Registry } from "prom-client";

/** The same clock, on which an exception in a timer is counted and logged: it ends neither the process nor the others. */
export function guardedClock(
  clock: Clock,
  { registry, log }: { readonly registry: Registry; readonly log: Pick<Logger, "error"> },
): Clock {
  const crashed = new Counter({
    name: "plimsoll_crashed_timers_total",
    help: "Timers that threw an unexpected exception.",
    registers: [registry],
  });
  return {
    ...clock,
    after: (delayMs, run) =>
      clock.after(delayMs, () => {
        try {
          run();
        } catch (error) {
          crashed.inc();
          log.error({ err: error }, "a timer crashed; other timers are not affected");
        }
      }),
  };
}
