/**
 * What users, workloads and values do, and kills: whatever of it happens, the processes that are left, their connections and the
 * time that an evaluation takes stay as they are.
 */
export const harmlessKinds =
  /^(kill$|object-(?!replaced|unlistable)|hpa-released|bounds-edited|workload-|rollout|replicas-|other-controller|crowd-|pod-|node-lost|metric-rule-|scrapes-lost|values-not-numbers|counters-reset)/;
