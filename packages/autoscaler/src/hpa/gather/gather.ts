import { type DecideInput, defaultHpa, type MetricSamples, type ScaleReading } from "@plimsoll/core";
import { type Clock, type KubeClient, type RestMapper, type Selector } from "@plimsoll/kube";
import type { MetricsClient } from "../../metrics-client/client.ts";
import type { Share } from "../../metrics-client/share.ts";
import type { PodIndex } from "../../pods/pod-index.ts";
import { keyOf, type NativeHpa, namespaceOf } from "../native-hpa.ts";
import { readTarget, type ScaleTarget } from "./target.ts";
import type { TargetCache } from "./target-cache.ts";

/** All that an evaluation has to ask the cluster for. */
export interface Gathered {
  readonly scale: ScaleReading;
  /** Where to write; undefined when the scale could not be read. */
  readonly target: ScaleTarget | undefined;
  /** Undefined when the scale has no usable selector. */
  readonly selector: Selector | undefined;
  readonly ambiguousWith: readonly string[];
  /** Metrics were left out because this object's bounds decide without them. */
  readonly isWithoutMetrics: boolean;
  readonly samples: readonly MetricSamples[];
  /** How long each sample took. */
  readonly tookMs: readonly number[];
  /** A server asked not to be called again sooner. */
  readonly retryAfterMs: number | undefined;
}

export interface GatherDeps {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly targets: TargetCache;
  readonly clock: Clock;
  readonly metrics: MetricsClient;
  readonly pods: PodIndex;
  /** Undefined for text that the decision will refuse: it needs no pods and no metrics. */
  readonly selectorOf: (text: string) => Selector | undefined;
  /** Whether the HPA is still known: one that is gone must not be filed in the pod index again. */
  readonly isThere: (key: string) => boolean;
}

export async function gather(
  hpa: NativeHpa,
  o: {
    readonly share: Share;
    /** Others that name the same target; as ambiguous as those that select the same pods. */
    readonly rivals: readonly string[];
    /** Whether an object that selects the same pods counts as a rival. */
    readonly counts: (key: string) => boolean;
  },
  deps: GatherDeps,
): Promise<Gathered> {
  const { share } = o;
  const metrics = defaultHpa(hpa).spec.metrics ?? [];
  const namespace = namespaceOf(hpa);
  const reading = await readTarget(hpa.spec.scaleTargetRef, namespace, deps);
  if (!reading.ok) {
    const { message, kind, retryAfterMs } = reading;
    return { ...without({ ok: false, message, kind }), retryAfterMs };
  }

  const { target } = reading;
  const { scale } = target;
  const counts = {
    ok: true,
    specReplicas: scale.spec.replicas,
    statusReplicas: scale.status.replicas,
    selector: scale.status.selector,
  } as const;
  const selector = deps.selectorOf(scale.status.selector);
  const base = { ...without(counts), target, selector };
  if (selector === undefined || !deps.isThere(keyOf(hpa))) return base;
  if (!asksMetrics(hpa, counts.specReplicas)) return { ...base, isWithoutMetrics: true };

  deps.pods.select(namespace, keyOf(hpa), selector);
  const sharing = deps.pods
    .ambiguousWith(namespace, keyOf(hpa))
    .filter((key) => key === keyOf(hpa) || o.counts(key));
  const ambiguousWith = [...new Set([...sharing, ...o.rivals])].sort();
  if (ambiguousWith.length > 1) return { ...base, ambiguousWith };

  const podSelector = selector.toString();
  const batchSelector = deps.pods.isWorthBatch(namespace) ? selector : undefined;
  const fetched = await mapSome(metrics, async (metric) => {
    const startedMs = deps.clock.nowMs();
    const samples = await deps.metrics.fetch({ namespace, metric, podSelector, batchSelector, share });
    return { samples, tookMs: deps.clock.nowMs() - startedMs };
  });
  return {
    ...base,
    samples: fetched.map(({ samples }) => samples),
    tookMs: fetched.map(({ tookMs }) => tookMs),
  };

  function without(scale: ScaleReading): Gathered {
    return {
      scale,
      target: undefined,
      selector: undefined,
      ambiguousWith: [],
      isWithoutMetrics: false,
      samples: metrics.map(() => ({ error: "not asked" })),
      tookMs: [],
      retryAfterMs: undefined,
    };
  }
}

/** Calls that one HPA may have under way; it may list hundreds of metrics. */
const callsAtOnce = 8;

async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(callsAtOnce, items.length) }, work));
  return results;
}

/** The pods as they are at the moment of the decision. */
export function podsFor(hpa: NativeHpa, gathered: Gathered, pods: PodIndex): DecideInput["pods"] {
  if (gathered.selector === undefined) return { ok: true, pods: [] };
  return { ok: true, pods: pods.select(namespaceOf(hpa), keyOf(hpa), gathered.selector) };
}

/** Whether what was gathered for one state of an HPA is what another state of it needs. */
export function answersFor(gathered: Gathered, asked: NativeHpa, now: NativeHpa): boolean {
  if (now === asked) return true;
  if (questionOf(now) !== questionOf(asked)) return false;
  return !(gathered.isWithoutMetrics && gathered.scale.ok && asksMetrics(now, gathered.scale.specReplicas));
}

function questionOf({ spec }: NativeHpa): string {
  return JSON.stringify([spec.scaleTargetRef, spec.metrics]);
}

/** Outside its bounds, or at a zero that the HPA did not set, a target is decided without metrics. */
function asksMetrics(hpa: NativeHpa, replicas: number): boolean {
  if (hpa.wla?.scheduled?.isWithoutMetrics === true) return false;
  if (replicas === 0) {
    const conditions = hpa.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True");
  }
  return replicas <= hpa.spec.maxReplicas && replicas >= (hpa.spec.minReplicas ?? 1);
}
