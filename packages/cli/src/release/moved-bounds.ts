// The bounds of HPAs that schedules moved, and what to put back.
import { jsonOf } from "../convert/source.ts";
import type { ServedObject } from "../decisions/source.ts";
import { annotationOf, boundsAnnotation, type Installed } from "./installed.ts";

/** An HPA whose bounds a schedule moved. */
export interface MovedBounds {
  readonly hpa: ServedObject;
  /** By field; without those that another client wrote since. Empty where the annotation says nothing that can be used. */
  readonly own: Readonly<Record<string, number>>;
}

const fields = ["minReplicas", "maxReplicas"] as const;
const scheduleManager = "plimsoll-schedules";

export function movedBounds({ hpas }: Installed): readonly MovedBounds[] {
  return hpas.flatMap((hpa) => {
    const text = annotationOf(hpa, boundsAnnotation);
    return text === undefined ? [] : [{ hpa, own: ownBounds(hpa, text) }];
  });
}

function ownBounds(hpa: ServedObject, text: string): MovedBounds["own"] {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    return {};
  }
  const [own, set] = [jsonOf(jsonOf(saved)["own"]), jsonOf(jsonOf(saved)["set"])];
  const live = { minReplicas: hpa.spec.minReplicas ?? 1, maxReplicas: hpa.spec.maxReplicas };
  const ours = Object.fromEntries(
    fields.flatMap((field) => {
      const value = own[field];
      const isOurs = live[field] === set[field] && !isLost(hpa, field);
      return typeof value === "number" && Number.isInteger(value) && isOurs ? [[field, value]] : [];
    }),
  );
  const { minReplicas, maxReplicas } = { ...live, ...ours };
  if (minReplicas <= maxReplicas) return ours;
  // The API server refuses one beside the other: what another client wrote since counts.
  return ours["minReplicas"] === undefined ? { maxReplicas: minReplicas } : { minReplicas: maxReplicas };
}

/** Whether only others own a field since schedules wrote it, whatever its value; not where nothing says who owns what. */
function isLost(hpa: ServedObject, field: string): boolean {
  return isScheduled(hpa, "metadata", "annotations", boundsAnnotation) && !isScheduled(hpa, "spec", field);
}

function isScheduled({ metadata }: ServedObject, ...path: readonly string[]): boolean {
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  const entries = Array.isArray(managedFields) ? (managedFields as readonly unknown[]).map(jsonOf) : [];
  return entries.some(({ manager, fieldsV1 }) => {
    let owned = fieldsV1;
    for (const name of path) owned = jsonOf(owned)[`f:${name}`];
    return manager === scheduleManager && owned !== undefined;
  });
}
