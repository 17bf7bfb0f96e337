// Warnings about objects that a list leaves out because their values are not usable.
import { type Clock, createLogLimiter, type Logger } from "@plimsoll/component-base";

/** Logs that a list lacks objects and why: once in a while for each thing that it is about. */
export type WarnLeftOut = (about: string, details: object) => void;

const pauseMs = 600_000;

export function createWarnLeftOut({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Logger;
}): WarnLeftOut {
  const isDue = createLogLimiter(clock, pauseMs);
  return (about, details) => {
    if (isDue(about)) log.warn({ about, ...details }, "objects are left out of a list");
  };
}
