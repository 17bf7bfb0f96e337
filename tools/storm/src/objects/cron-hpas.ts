// Draws CronHorizontalPodAutoscalers.
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";
import { timeZones } from "./schedules.ts";

interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** Jobs that are due several times in a run. */
export function drawCronHpa(random: Random, namespace: string, target: Target): SetupObject {
  const isQuick = random.chance(0.2);
  const count = isQuick ? 2 : random.pick([1, 2, 2, 3]);
  const isOfHpa = target.kind === "HorizontalPodAutoscaler";
  return {
    apiVersion: "autoscaling.alibabacloud.com/v1beta1",
    kind: "CronHorizontalPodAutoscaler",
    metadata: {
      name: `${target.name}-cron`,
      namespace,
      annotations: {
        "autoscaling.plimsoll.dev/time-zone": random.pick(timeZones),
        ...(isOfHpa
          ? { "autoscaling.plimsoll.dev/cron-hpa-bounds": random.pick(["Move", "Keep", "Within"]) }
          : {}),
      },
    },
    spec: {
      scaleTargetRef: target,
      ...(random.chance(0.2) ? { excludeDates: ["* * * 25 10 *"] } : {}),
      jobs: Array.from({ length: count }, (_, index) => {
        const own = random.stream(String(index));
        return {
          name: `job-${String(index)}`,
          schedule: isQuick ? quickSchedules[index % 2] : drawSchedule(own),
          targetSize: own.between(isOfHpa ? 1 : 0, 8),
          ...(own.chance(0.1) ? { runOnce: true } : {}),
        };
      }),
    },
  };
}

/** In turns, sooner than what another one did is forgotten. */
const quickSchedules = ["0,30 * * * * *", "15,45 * * * * *"] as const;

function drawSchedule(random: Random): string {
  const second = String(random.between(0, 59));
  const minute = String(random.between(0, 59));
  return random.pick([
    `${second} */${String(random.between(5, 30))} * * * *`,
    `${second} ${minute} * * * *`,
    `@every ${String(random.between(5, 25))}m`,
    `0 ${minute} 1-4 * * *`,
  ]);
}
