// The metrics of CronHorizontalPodAutoscalers.
import { Gauge, type Registry } from "prom-client";
import { type CronHpa, cronTargetKey } from "./cron-hpa.ts";

/** The state of each job as its object's status has it, of the objects whose targets are this process's. */
export function registerCronHpaTelemetry(
  registry: Registry,
  source: { readonly objects: () => readonly CronHpa[]; readonly holds: (targetKey: string) => boolean },
): void {
  registry.registerMetric(
    new Gauge({
      name: "plimsoll_cronhorizontalpodautoscaler_job_state",
      help: "1 for the state of each job of a CronHorizontalPodAutoscaler: Submitted, Succeed or Failed.",
      labelNames: ["namespace", "cronhorizontalpodautoscaler", "job_name", "state"],
      registers: [],
      collect() {
        this.reset();
        for (const object of source.objects()) {
          if (!source.holds(cronTargetKey(object))) continue;
          const { namespace = "", name } = object.metadata;
          for (const { name: jobName, state } of object.status.conditions ?? []) {
            this.set({ namespace, cronhorizontalpodautoscaler: name, job_name: jobName, state }, 1);
          }
        }
      },
    }),
  );
}
