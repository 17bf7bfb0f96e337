/** A resource of the cluster, as the API server's discovery reports it. */
export interface ClusterResource {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural: "pods". */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Finds resources of the cluster. */
export interface ResourceMapper {
  /**
   * @param groupResource "pods", "deployment.apps": plural, singular or short name, with the group or its beginning.
   * @returns undefined when the cluster has no such resource. No promise where that is known. Rejects when the cluster
   * cannot be read.
   */
  byResource(groupResource: string): ClusterResource | undefined | Promise<ClusterResource | undefined>;
}
