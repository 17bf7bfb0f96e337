// Wires the controllers of HPA bounds and of CronHorizontalPodAutoscalers.
import { scheduleManager } from "@plimsoll/core/internal/objects";
import type { KubeClient } from "@plimsoll/kube";
import type { Budget } from "../budget/budget.ts";
import type { Ownership } from "../leadership/coordination.ts";
import { asFieldManager, cronHpaManager } from "../objects/field-managers.ts";
import type { EventTelemetry } from "../telemetry/event-telemetry.ts";
import { createLoggedEvents } from "../telemetry/logged-events.ts";
import type { CronHpaSettings } from "./cronhpa/controller.ts";
import { type CronHpas, type CronHpasDeps, createCronHpas } from "./cronhpa/cron-hpas.ts";
import type { BoundsDeps } from "./hpa-bounds/context.ts";
import { createBoundsController } from "./hpa-bounds/controller.ts";

/** How long another writer keeps the bounds. */
const disputeWaits = { baseMs: 300_000, maxMs: 3_600_000 };

/** What changes something at set times, besides decisions: bounds of HPAs, and jobs of CronHorizontalPodAutoscalers. */
export function createScheduling(
  settings: CronHpaSettings | undefined,
  deps: Omit<CronHpasDeps, "client" | "owns" | "has" | "watch"> &
    Pick<BoundsDeps, "hpas" | "wlas" | "schedules" | "random"> & {
      readonly writing: KubeClient;
      readonly eventTelemetry: EventTelemetry;
      readonly budget: Pick<Budget, "writing">;
      readonly coordination: Ownership;
      readonly watchOf: CronHpasDeps["watch"];
    },
): CronHpas {
  const { owns, has } = deps.coordination;
  const client = deps.budget.writing(deps.writing);
  const events = createLoggedEvents(scheduleManager, { ...deps, client });
  const bounds = createBoundsController({ ...deps, client, events, disputeWaits, owns, has });
  const cronHpas = createCronHpas(settings, {
    ...deps,
    client: asFieldManager(client, cronHpaManager),
    owns,
    has,
    watch: deps.watchOf,
  });
  const parts = [bounds, cronHpas];
  return {
    start: () => parts.forEach((part) => part.start()),
    async stop() {
      await Promise.all([bounds.stop().then(events.close), cronHpas.stop()]);
    },
    gained: () => parts.forEach((part) => part.gained()),
    lost: () => parts.forEach((part) => part.lost()),
  };
}
