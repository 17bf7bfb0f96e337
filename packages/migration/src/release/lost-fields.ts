// What a WorkloadAutoscaler says and an HPA has no field for, with what happens instead.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { ServedObject } from "@plimsoll/observe";
import type { Difference } from "./contents.ts";
import { namespaceOf } from "./installed.ts";

/** "wla/shop". */
export function typedWla({ metadata }: ServedObject): string {
  return `wla/${metadata.name}`;
}

/** What is carried over elsewhere; the definition's defaults say nothing. */
const carriedElsewhere: readonly string[] = [
  "spec.tuning.tolerance",
  "spec.tuning.downscaleStabilizationSeconds",
  "spec.mode",
  "spec.pause",
];

const flag = (name: string): string =>
  `--horizontal-pod-autoscaler-${name} of kube-controller-manager applies, which is the same for all objects`;

const insteads: readonly (readonly [path: RegExp, instead: string])[] = [
  [/\.onMetricFailure$/, "while the metric cannot be read, nothing is scaled down, as with policy Block"],
  [
    /^spec\.metrics\[\d+\]\.query$/,
    "an External or Pods metric with the name that the HPA has: apply a MetricRule of this name, of the same type and with this query, before the HPA",
  ],
  [/^spec\.adopt$/, "a target that something else scaled to zero stays there until it is scaled up by hand"],
  [
    /^spec\.schedules$/,
    "minReplicas and maxReplicas apply at all times; for other times a CronJob can patch the HPA",
  ],
  [/\.syncPeriodSeconds$/, flag("sync-period")],
  [/\.cpuInitializationPeriodSeconds$/, flag("cpu-initialization-period")],
  [/\.initialReadinessDelaySeconds$/, flag("initial-readiness-delay")],
  [
    /\.upscaleDelaySeconds$/,
    "no delay; behavior.scaleUp.stabilizationWindowSeconds and policies are the nearest",
  ],
  [
    /\.downscaleDelaySeconds$/,
    "no delay; behavior.scaleDown.stabilizationWindowSeconds and policies are the nearest",
  ],
];

/** `carried`: the specification as an HPA has it. */
export function unsaid(wla: ServedObject, carried: Fields): readonly Difference[] {
  const spec = fieldsOf(wla.spec);
  const paths = missing(spec, carried, "spec").filter((path) => !carriedElsewhere.includes(path));
  return paths.map((path) => ({
    object: typedWla(wla),
    namespace: namespaceOf(wla),
    path,
    instead: insteads.find(([pattern]) => pattern.test(path))?.[1] ?? "an HPA has no such field: no effect",
  }));
}

/** Paths of what `written` has and `known` does not; of lists and tuning each item, of anything else the whole. */
function missing(written: unknown, known: unknown, path: string): readonly string[] {
  if (Array.isArray(written))
    return written.flatMap((item, index) =>
      missing(item, Array.isArray(known) ? known[index] : undefined, `${path}[${index}]`),
    );
  if (typeof written !== "object" || written === null) return [];
  return Object.entries(written).flatMap(([key, value]) => {
    const inner = `${path}.${key}`;
    const has = typeof known === "object" && known !== null && Object.hasOwn(known, key);
    if (has) return missing(value, (known as Fields)[key], inner);
    if (value === null || value === undefined) return [];
    return inner === "spec.tuning" ? missing(value, {}, inner) : [inner];
  });
}
