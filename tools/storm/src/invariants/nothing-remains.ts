// Invariant: nothing of a deleted object remains.
import { boundsAnnotation, wlaDefinition } from "@plimsoll/core/internal/objects";
import type { StoredObject } from "@plimsoll/sandbox";
import type { CreateInvariant, Observation, World } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { settleMs } from "./evaluated.ts";
import { isKeyOfStored } from "./kept-keys.ts";
import { cronHpaResource, hpaResource, keyOfObject } from "./names.ts";

interface RemainingEntries {
  /** To be called with each observation. */
  observe(observation: Observation): void;
  /** The first entry, in a sentence; undefined when there is none, or when it is too early for that. */
  find(): string | undefined;
}

function createRemainingEntries(world: World): RemainingEntries {
  const { cluster, meters, scenario, time } = world;
  const calm = createCalm(world, { sudden: /./ });
  const untilSettledMs = settleMs(scenario.setup);
  /** When an object was deleted last: "RESOURCE NAMESPACE/NAME", and "RESOURCE NAMESPACE" for the last one of it. */
  const goneAtMs = new Map<string, number>();

  /** Pods come and go in the quiet time too: a watch shows it a while later. */
  function isJustGone(map: string, key: string): boolean {
    const resource = map.replace(/^(objects|selections)\//, "");
    return time.nowMs - (goneAtMs.get(`${resource} ${key}`) ?? 0) <= untilSettledMs;
  }

  return {
    observe(observation) {
      calm.observe(observation);
      if (observation.kind !== "written" || observation.event.type !== "DELETED") return;
      const { resource, object } = observation.event;
      const { namespace = "", name } = object.metadata;
      for (const key of [`${namespace}/${name}`, namespace]) goneAtMs.set(`${resource} ${key}`, time.nowMs);
    },
    find() {
      if (calm.forMs() <= untilSettledMs) return undefined;
      for (const [process, meter] of meters) {
        for (const [map, keys] of meter.keys()) {
          const key = keys.find((one) => !isKeyOfStored(cluster.store, map, one) && !isJustGone(map, one));
          if (key !== undefined) return `${process} keeps an entry of ${key} in ${map}, which is gone`;
        }
      }
      return undefined;
    },
  };
}

/** Metrics are made batch by batch, with many steps of the simulation in between. */
const metricsMs = 4 * 60_000;

/**
 * At the end of the quiet time no process keeps a decision on an object that is gone, nor a series of its metrics, nor an entry of
 * it in an index, a cache or a queue; no WorkloadAutoscaler waits for its end, and no HPA has bounds that a WorkloadAutoscaler moved
 * which is gone.
 */
export const nothingRemains: CreateInvariant = (world) => {
  const { autoscalers, cluster, scenario, time } = world;
  const { store } = cluster;
  const entries = createRemainingEntries(world);
  /** By process. */
  const metrics = new Map<string, string>();
  time.after(scenario.stormMs + scenario.quietMs - metricsMs, () => {
    for (const [process, autoscaler] of autoscalers)
      void autoscaler.metrics().then((text) => metrics.set(process, text));
  });
  return {
    name: "nothing-remains",
    observe(observation) {
      entries.observe(observation);
      return undefined;
    },
    end: () => ofMetrics() ?? ofDecisions() ?? ofStore() ?? entries.find() ?? true,
  };

  function ofMetrics(): string | undefined {
    for (const [process, text] of metrics) {
      const line = text.split("\n").find((one) => isOfGone(one, store));
      if (line !== undefined) return `${process} keeps a series of an object that is gone: ${line}`;
    }
    return undefined;
  }

  function ofDecisions(): string | undefined {
    for (const [process, { decisions }] of autoscalers) {
      for (const { namespace, name, resource, uid } of decisions.latest()) {
        const stored = store.get(
          resource === "workloadautoscalers" ? wlaDefinition : hpaResource,
          namespace,
          name,
        );
        if (stored?.metadata.uid !== uid)
          return `${process} keeps decisions on ${resource} ${namespace}/${name} of uid ${uid ?? ""}, which is gone`;
      }
    }
    return undefined;
  }

  function ofStore(): string | undefined {
    for (const { metadata, kind = "" } of store.list(wlaDefinition)) {
      if (metadata.deletionTimestamp !== undefined)
        return `${keyOfObject(kind, metadata.namespace ?? "", metadata.name)} was deleted, and still waits for its end`;
    }
    for (const hpa of store.list(hpaResource)) {
      const by = moverOf(hpa);
      const { namespace = "", name } = hpa.metadata;
      if (by !== undefined && store.get(wlaDefinition, namespace, by) === undefined)
        return `the bounds of ${namespace}/${name} are still moved by ${by}, which is gone`;
    }
    return undefined;
  }
};

/** Whether a line of metrics is about an object that is gone. */
function isOfGone(line: string, store: World["cluster"]["store"]): boolean {
  const label = (name: string) => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1];
  const cronHpa = label("cronhorizontalpodautoscaler");
  const name = cronHpa ?? label("hpa_name") ?? label("horizontalpodautoscaler");
  if (line.startsWith("#") || name === undefined) return false;
  const ofKind = label("kind") === "WorkloadAutoscaler" ? wlaDefinition : hpaResource;
  return store.get(cronHpa === undefined ? ofKind : cronHpaResource, label("namespace"), name) === undefined;
}

function moverOf({ metadata }: StoredObject): string | undefined {
  const text = metadata.annotations?.[boundsAnnotation];
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { readonly by?: string }).by;
  } catch {
    return undefined;
  }
}
