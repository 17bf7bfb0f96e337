// The series of single objects, made from what is kept of them when metrics are scraped.
import type { Clock } from "@plimsoll/component-base";
import { type DecisionStore, keyOfDecision } from "../decisions/decision-log.ts";
import type { Objects } from "../informers/objects.ts";
import type { Watch } from "../informers/watch.ts";
import { isBoundsWla, namespaceOf, type ScalingObject } from "../objects/scaling-object.ts";
import { type Family, familySlices } from "./exposition.ts";
import { namespaceFamilies, namespaceSums } from "./namespace-series.ts";
import { type Known, knownObject, type ObjectFamily, objectFamilies } from "./object-series.ts";

/** Which series single objects have: see --object-metrics. */
export type ObjectMetrics = "auto" | "all" | "abnormal" | "none";

/** With "auto", more objects have only what is abnormal: all series of so many are about 4 MB. */
export const maxWholeObjects = 2000;

interface ObjectTelemetrySource {
  readonly decisions: Pick<DecisionStore, "newest">;
  readonly objects: Pick<Objects, "get">;
  /** Those that move the bounds of HPAs are taken from here. */
  readonly wlas: Pick<Watch<ScalingObject>, "list">;
  readonly holds: (key: string) => boolean;
  readonly clock: Pick<Clock, "nowMs">;
}

/**
 * The state of every object that this process decides on, as text, slice by slice. Nothing is kept between scrapes, so
 * that the series of an object go when it goes, or when another replica takes it over.
 */
export function* objectSlices(metrics: ObjectMetrics, source: ObjectTelemetrySource): Generator<string> {
  if (metrics === "none") return;
  const all = known(source);
  for (const family of namespaceFamilies) yield* familySlices(family, namespaceSums(all));
  const isWhole = metrics === "all" || (metrics === "auto" && all.length <= maxWholeObjects);
  for (const family of objectFamilies) {
    const written = familyOf(family, isWhole ? family.addSamples : family.addAbnormal);
    if (written !== undefined) yield* familySlices(written, all);
  }
}

function familyOf(
  { name, help }: ObjectFamily,
  addSamples: ObjectFamily["addSamples"] | undefined,
): Family<Known> | undefined {
  if (addSamples === undefined) return undefined;
  return {
    name,
    help,
    write: (known, add) =>
      addSamples(known, (value, labels) =>
        add(value, labels === undefined ? known.labels : `${known.labels},${labels}`),
      ),
  };
}

function known({ decisions, objects, wlas, holds, clock }: ObjectTelemetrySource): readonly Known[] {
  const nowMs = clock.nowMs();
  const all: Known[] = [];
  for (const stored of decisions.newest()) {
    const key = keyOfDecision(stored.shared);
    const hpa = holds(key) ? objects.get(key) : undefined;
    if (hpa !== undefined) all.push(knownObject(hpa, stored, nowMs));
  }
  for (const hpa of wlas.list()) {
    if (!isBoundsWla(hpa) || !holds(`${namespaceOf(hpa)}/${hpa.spec.scaleTargetRef.name}`)) continue;
    all.push(knownObject(hpa, undefined, nowMs));
  }
  return all;
}
