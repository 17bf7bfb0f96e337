import type { KubeClient } from "@plimsoll/kube";
import { createBounds } from "./bounds/bounds.ts";
import type { BoundsDeps } from "./bounds/controller.ts";
import type { CronHpaSettings } from "./cronhpa/controller.ts";
import { type CronHpas, type CronHpasDeps, createCronHpas } from "./cronhpa/cron-hpas.ts";

/** What changes something at set times, besides decisions: bounds of HPAs, and jobs of CronHorizontalPodAutoscalers. */
export function createScheduling(
  settings: CronHpaSettings | undefined,
  o: Omit<CronHpasDeps, "client"> &
    Pick<BoundsDeps, "hpas" | "wlas" | "calendars"> & {
      readonly client: KubeClient;
      /** For what changes counts. */
      readonly scaling: KubeClient;
    },
): CronHpas {
  const bounds = createBounds(o);
  const cronHpas = createCronHpas(settings, { ...o, client: o.scaling });
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
