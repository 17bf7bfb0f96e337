// Finds out whether the WorkloadAutoscaler CRD is installed and can be listed.
import type { Clock } from "@plimsoll/component-base";
import type { RestMapper } from "@plimsoll/kube";
import { isNotFound } from "@plimsoll/kube";
import type { ScalingObject } from "../objects/scaling-object.ts";
import { wlaResource } from "../objects/workload-autoscaler.ts";
import { waitForList } from "./listed.ts";
import { type Readiness, watchReadiness } from "./readiness.ts";
import { isForbidden, type Watch } from "./watch.ts";

/** What is known of the kind, which may not be installed, or not be ours to read. */
export function createWlaPresence(deps: {
  readonly wlas: Pick<Watch<ScalingObject>, "isSynced" | "failure" | "settled">;
  readonly mapper: Pick<RestMapper, "byKind">;
  readonly clock: Clock;
}): { readonly settled: () => Promise<void>; readonly readiness: () => Readiness } {
  const { wlas, mapper, clock } = deps;
  let isInstalled = true;
  return {
    settled: () => waitForList(wlas, wlas.settled(), clock),
    readiness() {
      const { failure } = wlas;
      const readiness = watchReadiness(wlaResource, wlas);
      if (readiness.isReady || isNotFound(failure)) return { ...readiness, isReady: true };
      // A 403 does not say whether the kind is installed.
      if (isForbidden(failure)) void look();
      return isInstalled ? readiness : { ...readiness, isReady: true };
    },
  };

  async function look(): Promise<void> {
    try {
      isInstalled = (await mapper.byKind(wlaResource.group, "WorkloadAutoscaler")).length > 0;
    } catch {
      // Not known: as it was.
    }
  }
}
