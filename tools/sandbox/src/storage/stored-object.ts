import type { ObjectMeta } from "@plimsoll/kube";

/** metadata as it is stored; instants are RFC 3339 text with seconds. */
export interface StoredMetadata extends ObjectMeta {
  readonly generateName?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly unknown[];
}

/** Any API object, in the version that is stored. Objects that come out of the store are frozen: copy to change. */
export interface StoredObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: StoredMetadata;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}
