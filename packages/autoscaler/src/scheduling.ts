import type { KubeClient } from "@plimsoll/kube";
import { createBounds } from "./bounds/bounds.ts";
import type { BoundsDeps } from "./bounds/controller.ts";
import type { Budget } from "./budget/budget.ts";
import type { Coordination } from "./coordination/coordination.ts";
import type { CronHpaSettings } from "./cronhpa/controller.ts";
import { type CronHpas, type CronHpasDeps, createCronHpas } from "./cronhpa/cron-hpas.ts";

/** What changes something at set times, besides decisions: bounds of HPAs, and jobs of CronHorizontalPodAutoscalers. */
export function createScheduling(
  settings: CronHpaSettings | undefined,
  o: Omit<CronHpasDeps, "client" | "holds" | "watch"> &
    Pick<BoundsDeps, "hpas" | "wlas" | "calendars"> & {
      readonly writing: KubeClient;
      readonly budget: Pick<Budget, "writing">;
      readonly coordination: Pick<Coordination, "holds">;
      readonly watchOf: CronHpasDeps["watch"];
    },
): CronHpas {
  const holds = (key: string) => o.coordination.holds(key);
  const client = o.budget.writing(o.writing, "scale");
  const bounds = createBounds({ ...o, client, holds });
  const cronHpas = createCronHpas(settings, { ...o, client, holds, watch: o.watchOf });
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
    lost: cronHpas.lost,
  };
}
