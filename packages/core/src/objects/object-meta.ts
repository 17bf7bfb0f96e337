import type { Timestamp } from "../values/time/rfc3339.ts";

/** The part of metav1.ObjectMeta that is read here; anything else passes through untouched. */
export interface ObjectMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly creationTimestamp?: Timestamp | undefined;
  readonly deletionTimestamp?: Timestamp | undefined;
}
