// The dependencies and state of the HPA bounds controller.
import {
  createRateLimit,
  createScheduleReader,
  type RateLimit,
  type ScheduleReader,
  type SharedSchedules,
} from "@plimsoll/calendars";
import type { Clock, EntryMeter, Logger } from "@plimsoll/component-base";
import type { EventRecorder, KubeClient } from "@plimsoll/kube";
import type { Watch } from "../../informers/watch.ts";
import type { Ownership } from "../../leadership/coordination.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { BoundsIndex } from "./bounds-index.ts";
import { createDisputes, type Disputes } from "./disputes.ts";

/** What moving the bounds of HPAs needs. */
export interface BoundsDeps extends Ownership {
  readonly hpas: Watch<ScalingObject>;
  readonly wlas: Watch<ScalingObject>;
  readonly client: KubeClient;
  readonly events: Pick<EventRecorder, "record">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly schedules: SharedSchedules;
  readonly meter?: EntryMeter | undefined;
  /** How long another writer keeps the bounds, the first time and at most. */
  readonly disputeWaits: { readonly baseMs: number; readonly maxMs: number };
}

/** What reconciling the bounds of HPAs needs, and what it saves about each of them. */
export interface BoundsContext
  extends Pick<BoundsDeps, "client" | "clock" | "events" | "hpas" | "log" | "schedules" | "wlas"> {
  readonly index: BoundsIndex;
  readonly reader: ScheduleReader;
  readonly disputes: Disputes;
  readonly rateLimit: RateLimit;
  /** By HPA, when a schedule wants the next run. */
  readonly dueMs: Map<string, number>;
}

/** One run, which may write as long as it owns the HPA. */
export interface BoundsRun extends BoundsContext {
  readonly key: string;
  /** Sends no write that may not be made any more. */
  readonly client: KubeClient;
  readonly mayWrite: () => boolean;
}

export function boundsContext(deps: BoundsDeps, index: BoundsIndex): BoundsContext {
  return {
    ...deps,
    index,
    // An object is read by its uid, and once more within a second.
    reader: createScheduleReader({ ...deps.schedules, onRead: () => {} }),
    disputes: createDisputes(deps.disputeWaits),
    rateLimit: createRateLimit(deps.clock),
    dueMs: new Map(),
  };
}

/** The HPA is gone, or another process's. */
export function forgetBounds({ disputes, dueMs }: BoundsContext, key: string): void {
  disputes.drop(key);
  dueMs.delete(key);
}
