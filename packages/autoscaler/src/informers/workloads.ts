// Watches of the resources that objects scale.
import type { Logger } from "@plimsoll/component-base";
import type { ResourceInfo } from "@plimsoll/kube";
import { workloadReaderOf } from "@plimsoll/kube/protobuf";
import { createTargetCache, projectWorkload, type TargetCache, type WorkloadWatch } from "@plimsoll/observe";
import { createWatch, type WatchOptions } from "./watch.ts";
import { onceEach, watchErrorLogger } from "./watch-error.ts";

type WatchDeps = Pick<WatchOptions, "client" | "clock" | "random" | "namespaces"> & { readonly log: Logger };

/** Scales of targets, from watches where the settings enable them. */
export function createTargets(
  settings: { readonly watchScaleTargets: boolean; readonly syncPeriodMs: number },
  deps: WatchDeps,
): TargetCache {
  return createTargetCache({
    clock: deps.clock,
    watchOf: settings.watchScaleTargets ? workloadWatches(deps) : undefined,
    maxAgeMs: 2 * settings.syncPeriodMs,
  });
}

function workloadWatches(options: WatchDeps): (resource: ResourceInfo) => WorkloadWatch {
  const { clock, log } = options;
  return (resource) => {
    const report = onceEach(watchErrorLogger(resource.resource, log));
    let failedAtMs = Number.NEGATIVE_INFINITY;
    const watch = createWatch({
      ...options,
      resource,
      project: projectWorkload,
      protobuf: workloadReaderOf(resource),
      onError(error) {
        failedAtMs = clock.nowMs();
        report(error);
      },
    });
    return {
      get isSynced() {
        return watch.isSynced;
      },
      get lastContactMs() {
        return watch.lastContactMs;
      },
      get isFailing() {
        return failedAtMs >= (watch.lastContactMs ?? Number.NEGATIVE_INFINITY);
      },
      get: watch.get,
      onDeleted(listener) {
        watch.subscribe(({ type, object: { metadata } }) => {
          if (type === "deleted") listener(metadata.namespace ?? "", metadata.name);
        });
      },
      start: watch.start,
      stop: watch.stop,
    };
  };
}
