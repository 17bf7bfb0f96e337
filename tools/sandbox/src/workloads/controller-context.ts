import type { Clock } from "@plimsoll/component-base";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { OwnerIndex } from "./owner-index.ts";
import type { PodFactory } from "./pod-factory.ts";

/** What each simulated controller works with. */
export interface ControllerContext {
  readonly store: ObjectStore;
  readonly index: OwnerIndex;
  readonly clock: Clock;
  readonly pods: PodFactory;
  /** Syncs an object once more after a delay. */
  requeueAfter(resource: string, object: StoredObject, delayMs: number): void;
}
