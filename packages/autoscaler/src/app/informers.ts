// The informers of the autoscaler: HPAs, WorkloadAutoscalers, pods and scale targets.
import type { Clock, Logger } from "@plimsoll/component-base";
import type { KubeClient, KubeObject, RestMapper } from "@plimsoll/kube";
import { podReader } from "@plimsoll/kube-protobuf";
import { createPodIndex, createPodProjection, type PodIndex, type PodView } from "@plimsoll/observe";
import { joinObjects, type Objects } from "../informers/objects.ts";
import { createWlaPresence } from "../informers/presence.ts";
import { createWatch, type Watch, type WatchOptions } from "../informers/watch.ts";
import { onceEach, watchErrorLogger } from "../informers/watch-error.ts";
import { createHpaProjection, hpaResource, type ScalingObject } from "../objects/scaling-object.ts";
import { projectWla, wlaResource } from "../objects/workload-autoscaler.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import { withoutBoundsWlas } from "../schedules/hpa-bounds/bounds-wla.ts";
import { type Readiness, watchReadiness } from "../server/readiness.ts";

/** What this process knows of the cluster from watches. */
export interface Informers {
  readonly hpas: Watch<ScalingObject>;
  readonly wlas: Watch<ScalingObject>;
  readonly pods: Watch<PodView>;
  /** Objects that are evaluated, of both kinds. */
  readonly objects: Objects;
  readonly podIndex: PodIndex;
  /** For more watches. */
  readonly watchOptions: Omit<WatchOptions, "resource" | "protobuf" | "onError">;
  readiness(): readonly Readiness[];
  start(): void;
  stop(): Promise<void>;
  synced(): Promise<void>;
}

const podResource = { group: "", version: "v1", resource: "pods" } as const;

export function createInformers(
  config: AutoscalerConfig,
  deps: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly random: (() => number) | undefined;
    readonly log: Logger;
    readonly mapper: RestMapper;
  },
): Informers {
  const { client, clock, random, log, mapper } = deps;
  const watchOptions = { client, clock, random, namespaces: config.namespaces };
  const hpas: Watch<ScalingObject> = createWatch<ScalingObject>({
    ...watchOptions,
    resource: hpaResource,
    project: createHpaProjection((namespace, name) => hpas.get(namespace, name)),
    onError: watchErrorLogger(hpaResource.resource, log),
  });
  const pods = createWatch<PodView>({
    ...watchOptions,
    resource: podResource,
    project: createPodProjection(),
    protobuf: podReader,
    onError: watchErrorLogger(podResource.resource, log),
  });
  const wlas: Watch<ScalingObject> = createWatch<ScalingObject>({
    ...watchOptions,
    resource: wlaResource,
    project: (raw) => projectWla(raw, { scaleToZero: config.scaleToZero, known: knownWla(raw) }),
    onError: onceEach(watchErrorLogger(wlaResource.resource, log)),
  });
  const knownWla = ({ metadata }: KubeObject) => wlas.get(metadata.namespace ?? "default", metadata.name);
  const wlaPresence = createWlaPresence({ wlas, mapper, clock });
  const podIndex = createPodIndex(pods.list, (space) => hpas.list(space).length + wlas.list(space).length);
  pods.subscribe(podIndex.apply);
  return {
    hpas,
    wlas,
    pods,
    objects: joinObjects(hpas, withoutBoundsWlas(wlas)),
    podIndex,
    watchOptions,
    readiness: () => [
      watchReadiness(hpaResource, hpas),
      watchReadiness(podResource, pods),
      wlaPresence.readiness(),
    ],
    start() {
      for (const { start } of [pods, hpas, wlas]) start();
    },
    async stop() {
      await Promise.all([hpas.stop(), wlas.stop(), pods.stop()]);
    },
    async synced() {
      await Promise.all([hpas.synced(), pods.synced(), wlaPresence.settled()]);
    },
  };
}
