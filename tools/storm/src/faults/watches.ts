// Faults of watches: half-open, cut, without bookmarks, with events that come twice or late.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { WatchFault } from "../network/network.ts";
import type { FaultKind } from "../run/world.ts";
import { type PlannedEvent, processNames } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";

function watchFault(maxForMs: number, fateOf: (event: PlannedEvent) => WatchFault): FaultKind {
  return {
    draw: (random, setup) => ({
      process: random.pick(["", ...processNames(setup)]),
      probability: random.pick([0.2, 0.5, 1]),
      ms: spreadDuration(random.next(), 100, 2 * minuteMs),
    }),
    maxForMs,
    weight: 0.7,
    begin({ network }, event) {
      const process = textOf(event, "process");
      const probability = numberOf(event, "probability");
      const fate = fateOf(event);
      const stream = `fault ${event.id}`;
      return network.add({
        ofWatch(request, random) {
          if (process !== "" && request.caller !== process) return undefined;
          return random.stream(stream).chance(probability) ? fate : undefined;
        },
      });
    },
  };
}

export const watchFaults: Readonly<Record<string, FaultKind>> = {
  "watches-half-open": watchFault(3 * minuteMs, () => ({ type: "half-open" })),
  "watches-cut": watchFault(minuteMs, () => ({ type: "cut" })),
  "watches-without-bookmarks": watchFault(20 * minuteMs, () => ({ type: "no-bookmarks" })),
  "watches-doubled": watchFault(10 * minuteMs, () => ({ type: "duplicates" })),
  "watches-late": watchFault(5 * minuteMs, (event) => ({ type: "delay", ms: numberOf(event, "ms") })),
};
