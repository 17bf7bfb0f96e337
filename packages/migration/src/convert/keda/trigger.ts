// The triggers of a ScaledObject, as far as they can be carried over.
import type { Fields } from "@plimsoll/core/internal/values";
import type { NeededServer } from "../needed-rule.ts";

/** Everything of KEDA that is read is in this form, checked; what it means is decided afterwards. */
export type Trigger = ResourceTrigger | PrometheusTrigger | CronTrigger;

/** cpu or memory: a metric of the HPA as it is. */
export interface ResourceTrigger {
  readonly kind: "resource";
  readonly index: number;
  readonly metric: Fields;
}

export interface PrometheusTrigger {
  readonly kind: "prometheus";
  readonly index: number;
  /** In a formula; may be empty. */
  readonly name: string;
  readonly query: string;
  readonly server: NeededServer;
  /** Per replica, or of the whole with `isValue`. */
  readonly threshold: number;
  readonly isValue: boolean;
  /** The trigger is active above it. */
  readonly activationThreshold: number;
  /** An empty result is 0, and not a failure. */
  readonly ignoresNull: boolean;
}

export interface CronTrigger {
  readonly kind: "cron";
  readonly index: number;
  readonly name: string;
  readonly timeZone: string;
  readonly start: string;
  readonly end: string;
  readonly replicas: number;
}

export function triggerPath(index: number): string {
  return `spec.triggers[${index}]`;
}
