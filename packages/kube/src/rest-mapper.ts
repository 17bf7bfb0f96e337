import type { KubeClient } from "./client.ts";
import type { Clock } from "./clock.ts";
import type { ResourceInfo } from "./resource.ts";

/** What the server serves, by discovery. */
export interface RestMapper {
  /** All versions of the kind, the group's preferred version first; empty when there is none. */
  byKind(group: string, kind: string): Promise<readonly ResourceInfo[]>;
  /**
   * By plural, singular or short name, with or without group: "deployments.apps", "pod",
   * "Ingresses.networking.k8s.io", "hpa". Case does not count.
   */
  byResource(groupResource: string): Promise<ResourceInfo | undefined>;
  /** The versions of a group, preferred first; empty when it is not served. */
  groupVersions(group: string): Promise<readonly string[]>;
  /** Reads discovery anew, whatever its age. */
  refresh(): Promise<void>;
}

export function createRestMapper(o: {
  readonly client: KubeClient;
  readonly clock?: Clock;
  readonly maxAgeMs?: number;
  readonly onError?: (error: unknown) => void;
}): RestMapper {
  throw new Error(`not yet: ${o.client.server}`);
}
