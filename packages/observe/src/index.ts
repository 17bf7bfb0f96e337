// What a decision needs from a cluster: target, scale, pods, and one sample query for each metric.

export {
  type ControllerSettings,
  readControllerSettings,
  type SettingOverrides,
} from "./direct/controller-options.ts";
export { createDirectReader, type DirectReader } from "./direct/direct-reader.ts";
export type { ServedObject } from "./direct/namespace-objects.ts";
export { type RecomputeDeps, recompute } from "./direct/recompute.ts";
export type { Assumption, HistoryBound, NotRecomputed, Recomputed } from "./direct/recomputed.ts";
export { type ObjectEvent, readEvents } from "./direct/scale-events.ts";
export * from "./gather.ts";
export { logBatches } from "./metrics/batched-queries.ts";
export { createMetricsClient, type MetricsApiResult } from "./metrics/client.ts";
export { batchCall } from "./metrics/namespace-batch.ts";
export { momentOf, type Share, shareForMoment, shareForPass } from "./metrics/share.ts";
export { createPodIndex, maxNamed, type PodIndex } from "./pods/pod-index.ts";
export { createPodProjection, type PodView } from "./pods/pod-view.ts";
export { createSelectorReader } from "./targets/read-selector.ts";
export type { ScaleTarget } from "./targets/target.ts";
export {
  createTargetCache,
  isWatchedKind,
  projectWorkload,
  type TargetCache,
  type WorkloadWatch,
} from "./targets/target-cache.ts";
