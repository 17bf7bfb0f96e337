// The informers of the autoscaler: HPAs, WorkloadAutoscalers, pods and scale targets.
import type { Clock, Logger } from "@plimsoll/component-base";
import {
  apiErrorText,
  type KubeClient,
  type KubeObject,
  type ReportLeftOut,
  type RestMapper,
} from "@plimsoll/kube";
import { podReader } from "@plimsoll/kube/protobuf";
import { createPodIndex, createPodProjection, type PodIndex, type PodView } from "@plimsoll/observe";
import { waitForList } from "../informers/listed.ts";
import { joinObjects, type Objects } from "../informers/objects.ts";
import { createWlaPresence } from "../informers/presence.ts";
import { type Readiness, watchReadiness } from "../informers/readiness.ts";
import { createWatch, type Watch, type WatchOptions } from "../informers/watch.ts";
import { onceEach, watchErrorLogger } from "../informers/watch-error.ts";
import { createHpaProjection, hpaResource, type ScalingObject } from "../objects/scaling-object.ts";
import { projectWla, wlaResource } from "../objects/workload-autoscaler.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import type { PodsKnown } from "../reconcile/observe.ts";

/** What this process knows of the cluster from watches. */
export interface Informers {
  readonly hpas: Watch<ScalingObject>;
  readonly wlas: Watch<ScalingObject>;
  readonly pods: Watch<PodView>;
  /** Objects that are evaluated, of both kinds. */
  readonly objects: Objects;
  readonly podIndex: PodIndex;
  readonly podsKnown: PodsKnown;
  /** For more watches. */
  readonly watchOptions: Omit<WatchOptions, "resource" | "protobuf" | "onError">;
  readiness(): readonly Readiness[];
  start(): void;
  stop(): Promise<void>;
  synced(): Promise<void>;
  /** Resolves when evaluations may begin: every kind was listed, or cannot be. */
  settled(): Promise<void>;
}

/**
 * A specification is evaluated whatever its size: one of 1.5 MiB, which is all that the API server takes, counts as less
 * than this. The limit of a namespace leaves the largest out where there are too many.
 */
const maxSpecBytes = 4 * 1024 * 1024;

const podResource = { group: "", version: "v1", resource: "pods" } as const;

export function createInformers(
  config: AutoscalerConfig,
  deps: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly random: (() => number) | undefined;
    readonly log: Logger;
    readonly mapper: RestMapper;
    readonly onLeftOut: ReportLeftOut;
  },
): Informers {
  const { client, clock, random, log, mapper, onLeftOut } = deps;
  const watchOptions = { client, clock, random, onLeftOut, namespaces: config.namespaces };
  const hpas: Watch<ScalingObject> = createWatch<ScalingObject>({
    ...watchOptions,
    resource: hpaResource,
    maxObjectBytes: maxSpecBytes,
    project: createHpaProjection((namespace, name) => hpas.get(namespace, name)),
    onError: watchErrorLogger(hpaResource.resource, log),
  });
  const pods = watchPods(watchOptions, log);
  const wlas: Watch<ScalingObject> = createWatch<ScalingObject>({
    ...watchOptions,
    resource: wlaResource,
    maxObjectBytes: maxSpecBytes,
    project: (raw) => projectWla(raw, { ...config, known: knownWla(raw) }),
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
    objects: joinObjects(hpas, wlas),
    podIndex,
    podsKnown: knownOf(pods),
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
    async settled() {
      const lists = [hpas, pods].map((watch) => waitForList(watch, watch.synced(), clock));
      await Promise.all([...lists, wlaPresence.settled()]);
    },
  };
}

function watchPods(options: Informers["watchOptions"], log: Logger): Watch<PodView> {
  return createWatch<PodView>({
    ...options,
    resource: podResource,
    project: createPodProjection(),
    protobuf: podReader,
    onError: watchErrorLogger(podResource.resource, log),
  });
}

function knownOf(pods: Watch<PodView>): PodsKnown {
  return {
    problem(namespace) {
      if (pods.isSyncedIn(namespace)) return undefined;
      return `cannot list the namespace's pods yet: ${apiErrorText(pods.failure ?? "the list is not complete")}`;
    },
    unread(namespace) {
      const [pod] = pods.leftOut(namespace);
      return pod === undefined ? undefined : `cannot read pod ${pod.name ?? ""}: ${pod.message}`;
    },
  };
}
