// What the metrics APIs return for the metrics of an object, and the decision that follows from it.
import { type Clock, messageOf } from "@plimsoll/component-base";
import { type Decision, decide, type HorizontalPodAutoscaler } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import type { Fields } from "@plimsoll/core/internal/values";
import { asDecided } from "@plimsoll/core/queries";
import {
  type Autoscaler,
  at,
  known,
  listOf,
  type MetricReading,
  type Reading,
  type ScaleFact,
  unknown,
} from "@plimsoll/doctor";
import { createMetricsClient, shareForPass } from "@plimsoll/observe";
import type { Cluster } from "../../../cluster/cluster.ts";

export interface SampleReader {
  read(object: Autoscaler, selector: string): Promise<Reading<readonly MetricReading[]>>;
}

/** In the words of the API server. */
const forbidden = /is forbidden: User|^Unauthorized/;

/** Objects with equal queries share one. */
export function createSampleReader(cluster: Cluster, clock: Clock): SampleReader {
  const share = shareForPass();
  const client = createMetricsClient({
    client: cluster.client,
    mapper: cluster.mapper,
    clock,
    random: () => 0,
    batches: share,
    onCall: () => undefined,
    onBackoff: () => undefined,
    onResume: () => undefined,
  });
  return {
    async read(object, selector) {
      const metrics = defaultHpa(asHpa(object)).spec.metrics ?? [];
      const readings = await Promise.all(
        metrics.map(async (metric): Promise<MetricReading> => {
          const query = { namespace: object.namespace, metric, podSelector: selector, batch: undefined };
          return { samples: await client.fetch({ ...query, share, withinMs: undefined }) };
        }),
      );
      for (const { samples } of readings)
        if ("error" in samples && forbidden.test(samples.error))
          return unknown("may not read the metrics APIs");
      return known(readings);
    },
  };
}

function asHpa({ raw }: Autoscaler): HorizontalPodAutoscaler {
  return asDecided(raw) as object as HorizontalPodAutoscaler;
}

/** Older than every window: nothing of the past holds. */
const beforeAllMs = 86_400_000;

/** What the rules give for what was read, with nothing of the past. */
export function decisionOf(
  object: Autoscaler,
  read: {
    readonly scale: Reading<ScaleFact>;
    readonly pods: Reading<readonly Fields[]>;
    readonly samples: Reading<readonly MetricReading[]>;
  },
  nowMs: number,
): Reading<Decision> {
  const { scale, pods, samples } = read;
  if (!scale.ok) return scale;
  if (!pods.ok) return pods;
  if (!samples.ok) return samples;
  if (listOf(at(object.raw, "spec", "schedules")).length > 0)
    return unknown("schedules are evaluated by the autoscaler only");
  if (!scale.value.found) return unknown("the target has no scale");
  const { specReplicas, statusReplicas, selector } = scale.value;
  try {
    const { decision } = decide(
      {
        nowMs,
        hpa: asHpa(object),
        scale: { ok: true, specReplicas, statusReplicas, selector },
        pods: { ok: true, pods: pods.value },
        samples: samples.value.map((reading) => reading.samples),
      },
      {
        recommendations: [{ replicas: specReplicas, atMs: nowMs - beforeAllMs }],
        scaleUpEvents: [],
        scaleDownEvents: [],
      },
    );
    return known(decision);
  } catch (error) {
    return unknown(`no decision can be computed: ${messageOf(error)}`);
  }
}
