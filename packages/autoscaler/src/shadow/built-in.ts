// The built-in controller's last decision, from the status of an HPA.
import { isDeepStrictEqual } from "node:util";
import { fieldManager } from "../objects/field-managers.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";

/** The part of an HPA's status that says what its controller decided last. */
export interface BuiltInState {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime: string | undefined;
}

/** What is known of our own writes of the status. */
interface OwnWrites {
  readonly lastWritten: ScalingObject | undefined;
  /** When we first saw the object. */
  readonly sinceMs: number;
}

/** Undefined while no other controller has written a status yet. */
export function builtInState(hpa: ScalingObject, own: OwnWrites): BuiltInState | undefined {
  const { status } = hpa;
  if (status === undefined || (status.conditions ?? []).length === 0) return undefined;
  if (isOwnStatus(hpa, own)) return undefined;
  const { lastScaleTime } = status;
  return {
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas ?? 0,
    lastScaleTime: typeof lastScaleTime === "object" ? lastScaleTime?.toISOString() : lastScaleTime,
  };
}

/** Another installation of this controller writes under the same name, but not before we watched the object. */
function isOwnStatus({ status, statusWriter }: ScalingObject, { lastWritten, sinceMs }: OwnWrites): boolean {
  if (statusWriter?.manager !== fieldManager) return false;
  if (lastWritten !== undefined) return isDeepStrictEqual(status, lastWritten.status);
  // Times of writers have whole seconds.
  return !(Date.parse(statusWriter.at ?? "") > sinceMs - 1000);
}
