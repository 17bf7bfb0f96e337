import type { Clock } from "@plimsoll/kube";
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
  /** Syncs an object again after a delay. */
  again(resource: string, object: StoredObject, delayMs: number): void;
}
