// The specification as it counted at an instant: the manifest, the changes of it, and what schedules make of it.
import type { HorizontalPodAutoscaler, HpaSpec, MetricSpec } from "@plimsoll/core";
import type { Autoscaler } from "@plimsoll/simulator";
import { type Bounds, createBounds, milliText } from "@plimsoll/simulator/parts";
import type { SpecChange } from "./recording.ts";

export type RecordedSpecs = ReturnType<typeof createRecordedSpecs>;

/** Changes of the generation change nothing that is known. */
export function createRecordedSpecs(
  { hpa, schedules }: Pick<Autoscaler, "hpa" | "schedules">,
  changes: readonly SpecChange[],
) {
  const known = changes.filter(({ field }) => field !== "generation").toSorted((a, b) => a.atMs - b.atMs);
  const versions: ((atMs: number) => Bounds)[] = [];
  const boundsOf = (version: number): ((atMs: number) => Bounds) => {
    const made = versions[version];
    if (made !== undefined) return made;
    const changed = known.slice(0, version).reduce(withChange, hpa);
    return (versions[version] = createBounds({
      hpa: changed,
      ...(schedules === undefined ? {} : { schedules }),
    }));
  };
  const versionAt = (atMs: number): number => {
    let version = 0;
    while ((known[version]?.atMs ?? Infinity) <= atMs) version++;
    return version;
  };
  return {
    /** How many of the changes count at an instant. */
    versionAt,
    /** Other versions that may have counted, because a change was seen later than it came. */
    versionsNear(atMs: number, withinMs: number): readonly number[] {
      const own = versionAt(atMs);
      const near: number[] = [];
      for (const [at, change] of known.entries()) {
        const fromMs = Math.min(change.earliestMs, change.atMs - withinMs);
        if (atMs < fromMs || atMs > change.atMs + withinMs) continue;
        near.push(at, at + 1);
      }
      return [...new Set(near)].filter((version) => version !== own);
    },
    read: (version: number, atMs: number): Bounds => boundsOf(version)(atMs),
  };
}

function withChange(hpa: HorizontalPodAutoscaler, change: SpecChange): HorizontalPodAutoscaler {
  return { ...hpa, spec: changedSpec(hpa.spec, change) };
}

function changedSpec(spec: HpaSpec, { field, metricIndex = 0, value }: SpecChange): HpaSpec {
  switch (field) {
    case "minReplicas":
    case "maxReplicas":
      return { ...spec, [field]: value };
    case "target": {
      const metrics = (spec.metrics ?? []).map((metric, at) =>
        at === metricIndex ? withTarget(metric, value) : metric,
      );
      return { ...spec, metrics };
    }
    case "tolerance": {
      const tolerance = milliText(value);
      const { behavior } = spec;
      const scaleUp = { ...behavior?.scaleUp, tolerance };
      const scaleDown = { ...behavior?.scaleDown, tolerance };
      return { ...spec, behavior: { ...behavior, scaleUp, scaleDown } };
    }
    case "generation":
      return spec;
  }
}

/** The same metric with another target, in its unit; the source of a metric is the field named like its type. */
export function withTarget(metric: MetricSpec, value: number): MetricSpec {
  for (const key of ["resource", "containerResource", "pods", "object", "external"] as const) {
    const source = metric[key];
    if (source === undefined) continue;
    const { target } = source;
    const amounts: Readonly<Record<string, object>> = {
      Utilization: { averageUtilization: Math.round(value) },
      AverageValue: { averageValue: milliText(value) },
      Value: { value: milliText(value) },
    };
    return { ...metric, [key]: { ...source, target: { ...target, ...amounts[target.type] } } };
  }
  return metric;
}
