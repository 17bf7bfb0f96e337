// The controller that moves the bounds of HPAs by schedules.
import { waitAtMost } from "@plimsoll/component-base";
import { createLoggedEvents } from "../../app/logged-events.ts";
import { scheduleManager } from "../../objects/field-managers.ts";
import type { BoundsDeps } from "./context.ts";
import { type BoundsController, createBoundsController } from "./controller.ts";

const maxFlushMs = 5000;
const disputeWaits = { baseMs: 300_000, maxMs: 3_600_000 };

/** Everything about HPAs whose bounds follow schedules. */
export function createBounds(deps: Omit<BoundsDeps, "events" | "disputeWaits">): BoundsController {
  const events = createLoggedEvents(scheduleManager, deps);
  const controller = createBoundsController({ ...deps, events, disputeWaits });
  return {
    ...controller,
    async stop() {
      await controller.stop();
      await waitAtMost(deps.clock, maxFlushMs, events.flush());
    },
  };
}
