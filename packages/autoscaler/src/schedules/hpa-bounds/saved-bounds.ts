// The annotation that saves an HPA's own bounds while schedules move them.
import type { ReplicaBounds } from "@plimsoll/core";
import { boundsAnnotation, boundsFields } from "@plimsoll/core/internal/objects";

/** Those of an HPA's bounds that are moved. */
export type SomeBounds = { readonly [field in BoundsField]?: number };

export type BoundsField = keyof ReplicaBounds;

/** The content of an HPA's annotation while its bounds are moved; written in one request with them. */
export interface SavedBounds {
  /** Name of the WorkloadAutoscaler whose schedules they follow. */
  readonly by: string;
  /** What the user wrote, for each field that is moved. */
  readonly own: SomeBounds;
  /** What we wrote; anything else was written by another client since. */
  readonly set: SomeBounds;
}

export function savedText({ by, own, set }: SavedBounds): string {
  return JSON.stringify({ by, own: ordered(own), set: ordered(set) });
}

/** Undefined when there is none, or none that we wrote. */
export function readSaved(
  annotations: Readonly<Record<string, string>> | undefined,
): SavedBounds | undefined {
  const text = annotations?.[boundsAnnotation];
  if (text === undefined) return undefined;
  try {
    const { by, own, set } = JSON.parse(text) as Partial<SavedBounds>;
    if (typeof by !== "string" || !isSome(own) || !isSome(set)) return undefined;
    const isWhole = boundsFields.every((field) => (own[field] === undefined) === (set[field] === undefined));
    return isWhole ? { by, own, set } : undefined;
  } catch {
    return undefined;
  }
}

function isSome(value: unknown): value is SomeBounds {
  if (typeof value !== "object" || value === null) return false;
  return boundsFields.every((field) => {
    const count = (value as Record<string, unknown>)[field];
    return count === undefined || (Number.isInteger(count) && (count as number) >= 0);
  });
}

function ordered(bounds: SomeBounds): SomeBounds {
  return Object.fromEntries(
    boundsFields.flatMap((field) => (bounds[field] === undefined ? [] : [[field, bounds[field]]])),
  );
}
