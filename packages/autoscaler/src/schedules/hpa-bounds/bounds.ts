// The controller that moves the bounds of HPAs by schedules.
import { createLoggedEvents, type LoggedEventsDeps } from "../../app/logged-events.ts";
import { scheduleManager } from "../../objects/field-managers.ts";
import type { BoundsDeps } from "./context.ts";
import { type BoundsController, createBoundsController } from "./controller.ts";

const disputeWaits = { baseMs: 300_000, maxMs: 3_600_000 };

/** Everything about HPAs whose bounds follow schedules. */
export function createBounds(
  deps: Omit<BoundsDeps, "events" | "disputeWaits"> & Pick<LoggedEventsDeps, "eventTelemetry">,
): BoundsController {
  const events = createLoggedEvents(scheduleManager, deps);
  const controller = createBoundsController({ ...deps, events, disputeWaits });
  return {
    ...controller,
    async stop() {
      await controller.stop();
      await events.close();
    },
  };
}
