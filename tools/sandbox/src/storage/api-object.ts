import type { OwnerReference } from "@plimsoll/kube";
import { cloneJson } from "./json-value.ts";
import type { StoredObject } from "./stored-object.ts";

/** The mutable working form of a StoredObject, while a request is being carried out. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ApiMetadata;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

export interface ApiMetadata {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: unknown[];
}

export function thaw(object: StoredObject): ApiObject {
  return cloneJson(object) as ApiObject;
}
