import type { KubeClient } from "./client.ts";
import type { Clock } from "./clock.ts";
import type { ObjectReference } from "./object.ts";

export interface EventRecorder {
  /** Never throws, never waits: the event is written behind the caller's back. */
  record(
    regarding: ObjectReference,
    event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
  ): void;
  /** Resolves when all that was recorded has been written or given up. */
  flush(): Promise<void>;
}

export function createEventRecorder(o: {
  readonly client: KubeClient;
  readonly component: string;
  readonly clock?: Clock;
  readonly onError?: (error: unknown) => void;
}): EventRecorder {
  throw new Error(`not yet: ${o.component}`);
}
