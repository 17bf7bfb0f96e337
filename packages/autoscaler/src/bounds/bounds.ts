import { createEventRecorder } from "@plimsoll/kube";
import { inTime } from "../deadline.ts";
import { apiErrorText } from "../errors.ts";
import { type BoundsController, type BoundsDeps, createBoundsController } from "./controller.ts";
import { scheduleManager } from "./live-hpa.ts";

const longestFlushMs = 5000;
const patience = { firstMs: 300_000, longestMs: 3_600_000 };

/** Everything about HPAs whose bounds follow schedules. */
export function createBounds(o: Omit<BoundsDeps, "events" | "patience">): BoundsController {
  const events = createEventRecorder({
    client: o.client,
    component: scheduleManager,
    clock: o.clock,
    onError: (error) => o.log.warn({ error: apiErrorText(error) }, "could not record an event"),
  });
  const controller = createBoundsController({ ...o, events, patience });
  return {
    ...controller,
    async stop() {
      await controller.stop();
      await inTime(o.clock, longestFlushMs, events.flush());
    },
  };
}
