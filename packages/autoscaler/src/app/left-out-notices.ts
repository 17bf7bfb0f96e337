// Says which objects are left out: in the log, a metric, and events about HPAs and WorkloadAutoscalers.

import { type Clock, getOrAdd, type Logger, steadyNowMs } from "@plimsoll/component-base";
import { createLeftOutReport, type EventRecorder, type LeftOut, type ReportLeftOut } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import type { Watch } from "../informers/watch.ts";
import type { Coordination } from "../leadership/coordination.ts";
import type { ManageHpas } from "../objects/ownership.ts";
import { hpaResource, keyOfName } from "../objects/scaling-object.ts";
import { wlaResource } from "../objects/workload-autoscaler.ts";
import { createLeftOutCounter } from "../telemetry/telemetry.ts";
import type { Informers } from "./informers.ts";

/** A kind whose objects this process manages. */
export interface EvaluatedKind {
  /** With its group. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: "HorizontalPodAutoscaler" | "WorkloadAutoscaler";
  readonly watch: Pick<Watch<never>, "leftOut">;
}

export interface LeftOutNoticesDeps {
  readonly kinds: readonly EvaluatedKind[];
  readonly has: Coordination["has"];
  readonly events: Pick<EventRecorder, "record">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
}

export interface LeftOutNotices {
  /** An object is left out from now on. */
  readonly report: ReportLeftOut;
  /** Those that this process owns from now on. */
  gained(isMine: (key: string) => boolean): void;
  lost(): void;
}

/** An HPA may be another controller's, unless all are ours. */
export function evaluatedKinds(
  { hpas, wlas }: Pick<Informers, "hpas" | "wlas">,
  manageHpas: ManageHpas,
): readonly EvaluatedKind[] {
  const kindOf = (
    kind: EvaluatedKind["kind"],
    { group, version, resource }: typeof hpaResource | typeof wlaResource,
    watch: EvaluatedKind["watch"],
  ): EvaluatedKind => ({
    resource: `${resource}.${group}`,
    apiVersion: `${group}/${version}`,
    kind,
    watch,
  });
  return [
    kindOf("WorkloadAutoscaler", wlaResource, wlas),
    ...(manageHpas === "all" ? [kindOf("HorizontalPodAutoscaler", hpaResource, hpas)] : []),
  ];
}

/** Of a namespace, in ten minutes: without an event users would not learn why nothing happens. */
const maxEvents = 20;
const windowMs = 600_000;

export function createLeftOutNotices(deps: LeftOutNoticesDeps): LeftOutNotices {
  const { kinds, has, events, clock, log, registry } = deps;
  const report = createLeftOutReport({ clock, log, count: createLeftOutCounter(registry) });
  let counts = new Map<string, { count: number }>();
  let sinceMs = Number.NEGATIVE_INFINITY;

  const isDue = (namespace: string): boolean => {
    const nowMs = steadyNowMs(clock);
    if (nowMs - sinceMs >= windowMs) {
      counts = new Map();
      sinceMs = nowMs;
    }
    const entry = getOrAdd(counts, namespace, () => ({ count: 0 }));
    entry.count += 1;
    return entry.count <= maxEvents;
  };

  const record = (
    { apiVersion, kind }: EvaluatedKind,
    { namespace = "", name = "", message }: LeftOut,
  ): void => {
    if (!has(keyOfName(kind, namespace, name)) || !isDue(namespace)) return;
    events.record(
      { apiVersion, kind, namespace, name },
      {
        type: "Warning",
        reason: "ObjectLeftOut",
        message: `not evaluated or scaled: ${message}; shorten its selectors, labels, and annotations, or split it into smaller objects`,
      },
    );
  };

  return {
    report(resource, one) {
      report(resource, one);
      const kind = kinds.find((each) => each.resource === resource);
      if (kind !== undefined) record(kind, one);
    },
    gained(isMine) {
      for (const kind of kinds)
        for (const one of kind.watch.leftOut())
          if (isMine(keyOfName(kind.kind, one.namespace ?? "", one.name ?? ""))) record(kind, one);
    },
    lost: () => undefined,
  };
}
