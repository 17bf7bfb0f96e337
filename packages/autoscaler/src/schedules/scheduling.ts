// Wires the controllers of HPA bounds and of CronHorizontalPodAutoscalers.
import type { KubeClient } from "@plimsoll/kube";
import { asFieldManager } from "../app/client-defaults.ts";
import type { Budget } from "../budget/budget.ts";
import type { Coordination } from "../leadership/coordination.ts";
import { cronHpaManager } from "../objects/field-managers.ts";
import type { EventTelemetry } from "../telemetry/event-telemetry.ts";
import type { CronHpaSettings } from "./cronhpa/controller.ts";
import { type CronHpas, type CronHpasDeps, createCronHpas } from "./cronhpa/cron-hpas.ts";
import { createBounds } from "./hpa-bounds/bounds.ts";
import type { BoundsDeps } from "./hpa-bounds/context.ts";

/** What changes something at set times, besides decisions: bounds of HPAs, and jobs of CronHorizontalPodAutoscalers. */
export function createScheduling(
  settings: CronHpaSettings | undefined,
  deps: Omit<CronHpasDeps, "client" | "owns" | "watch"> &
    Pick<BoundsDeps, "hpas" | "wlas" | "schedules" | "random"> & {
      readonly writing: KubeClient;
      readonly eventTelemetry: EventTelemetry;
      readonly budget: Pick<Budget, "writing">;
      readonly coordination: Pick<Coordination, "owns">;
      readonly watchOf: CronHpasDeps["watch"];
    },
): CronHpas {
  const { owns } = deps.coordination;
  const client = deps.budget.writing(deps.writing);
  const bounds = createBounds({ ...deps, client, owns });
  const cronHpas = createCronHpas(settings, {
    ...deps,
    client: asFieldManager(client, cronHpaManager),
    owns,
    watch: deps.watchOf,
  });
  return {
    start() {
      bounds.start();
      cronHpas.start();
    },
    async stop() {
      await Promise.all([bounds.stop(), cronHpas.stop()]);
    },
    gained() {
      bounds.gained();
      cronHpas.gained();
    },
    lost() {
      bounds.lost();
      cronHpas.lost();
    },
  };
}
