// Gathers what an evaluation needs of an object's target, and one sample of each of its metrics.
import { type Clock, forEachLimit } from "@plimsoll/component-base";
import {
  type ControllerOptions,
  type DecideInput,
  type FailedSamples,
  type HorizontalPodAutoscaler,
  leavesZeroByCondition,
  type MetricSamples,
  type MetricSpec,
  type ScaleReading,
} from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import type { Selector } from "@plimsoll/core/selector";
import type { KubeClient, RestMapper } from "@plimsoll/kube";
import type { MetricsClient } from "./metrics/client.ts";
import { momentOf, type Share } from "./metrics/share.ts";
import type { PodIndex } from "./pods/pod-index.ts";
import { readTarget, type ScaleTarget } from "./targets/target.ts";
import type { TargetCache } from "./targets/target-cache.ts";

/** What is observed: an object that scales a target, of any kind. */
export interface ObservedObject extends Pick<HorizontalPodAutoscaler, "spec" | "status"> {
  /** Names the object among all kinds. */
  readonly key: string;
  readonly namespace: string;
  /** Undefined: that of the process. */
  readonly syncPeriodMs: number | undefined;
  /** Its bounds decide, whatever its metrics say. */
  readonly isWithoutMetrics: boolean;
}

/** Everything that an evaluation reads from the cluster. */
export interface Gathered {
  readonly scale: ScaleReading;
  /** Where to write; undefined when the scale could not be read. */
  readonly target: ScaleTarget | undefined;
  /** Undefined when the scale has no usable selector. */
  readonly selector: Selector | undefined;
  /** Objects that select the same pods, or name the same target. */
  readonly ambiguousWith: readonly string[];
  /** Metrics were left out because this object's bounds decide without them. */
  readonly isWithoutMetrics: boolean;
  /** By position in spec.metrics. */
  readonly samples: readonly MetricSamples[];
  /** How long each sample took. */
  readonly tookMs: readonly number[];
  /** The Retry-After of a server. */
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
  readonly options: Pick<ControllerOptions, "semantics" | "scaleToZero">;
  /** Reads the pods of a selector before they are looked up; absent: a watch has them. */
  readonly beforeSelect?: (selector: Selector) => Promise<void>;
}

export async function gather(
  hpa: ObservedObject,
  query: {
    readonly share: Share;
    /** Objects that name the same target; as ambiguous as those that select the same pods. */
    readonly conflictingObjects: readonly string[];
    /** Whether an object that selects the same pods is in conflict with this one. */
    readonly conflicts: (key: string) => boolean;
  },
  deps: GatherDeps,
): Promise<Gathered> {
  const { share } = query;
  const metrics = defaultHpa(hpa).spec.metrics ?? [];
  const { namespace } = hpa;
  const reading = await readTarget(hpa.spec.scaleTargetRef, namespace, deps);
  if (!reading.ok) {
    // An object that scales nothing is in no other object's way.
    if (reading.isGone) deps.pods.drop(namespace, hpa.key);
    const { message, kind, retryAfterMs } = reading;
    return { ...nothingGathered({ ok: false, message, kind }, metrics), retryAfterMs };
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
  const base = { ...nothingGathered(counts, metrics), target, selector };
  const needsMetrics = readsMetrics(hpa, counts.specReplicas, deps.options);
  const isDisabled = !needsMetrics && counts.specReplicas === 0;
  if (selector !== undefined && deps.beforeSelect !== undefined) await deps.beforeSelect(selector);
  fileSelector(hpa, isDisabled ? undefined : selector, deps);
  if (selector === undefined || !deps.isThere(hpa.key)) return base;
  if (!needsMetrics) return { ...base, selector: isDisabled ? undefined : selector, isWithoutMetrics: true };

  const sharing = deps.pods.ambiguousWith(namespace, hpa.key, query.conflicts);
  const ambiguousWith = [...new Set([...sharing, ...query.conflictingObjects])].sort();
  if (ambiguousWith.length > 1) return { ...base, ambiguousWith };

  const fetched = await fetchSamples(hpa, metrics, { selector, share }, deps);
  return { ...base, ...fetched };
}

/** In place of the samples of a metric that was not asked for. */
export const notRequested: FailedSamples = { error: "not requested" };

function nothingGathered(scale: ScaleReading, metrics: readonly MetricSpec[]): Gathered {
  return {
    scale,
    target: undefined,
    selector: undefined,
    ambiguousWith: [],
    isWithoutMetrics: false,
    samples: metrics.map(() => notRequested),
    tookMs: [],
    retryAfterMs: undefined,
  };
}

/** Calls that one HPA may have under way; it may list hundreds of metrics. */
const maxCallsAtOnce = 8;

async function fetchSamples(
  { namespace, syncPeriodMs }: ObservedObject,
  metrics: readonly MetricSpec[],
  { selector, share }: { readonly selector: Selector; readonly share: Share },
  deps: Pick<GatherDeps, "clock" | "metrics" | "pods">,
): Promise<Pick<Gathered, "samples" | "tookMs">> {
  const podSelector = selector.toString();
  const selectors = deps.pods.batchedSelectors(namespace);
  const batch = selectors === 0 ? undefined : { selector, selectors };
  const withinMs = syncPeriodMs === undefined ? undefined : momentOf(syncPeriodMs);
  const common = { namespace, podSelector, batch, share, withinMs };
  const samples: MetricSamples[] = [];
  const tookMs: number[] = [];
  await forEachLimit(maxCallsAtOnce, [...metrics.entries()], async ([index, metric]) => {
    const startedMs = deps.clock.nowMs();
    samples[index] = await deps.metrics.fetch({ ...common, metric });
    tookMs[index] = deps.clock.nowMs() - startedMs;
  });
  return { samples, tookMs };
}

/**
 * Reads the selector of an object that another process evaluates, so that objects of this one that select the same pods
 * are known to be in conflict with it.
 */
export async function observeSelector(
  object: ObservedObject,
  deps: Pick<GatherDeps, "client" | "mapper" | "targets" | "pods" | "selectorOf" | "isThere">,
): Promise<void> {
  const reading = await readTarget(object.spec.scaleTargetRef, object.namespace, deps);
  if (!reading.ok && !reading.isGone) return;
  const scale = reading.ok ? reading.target.scale : undefined;
  const isScaled = scale !== undefined && scale.spec.replicas > 0;
  fileSelector(object, isScaled ? deps.selectorOf(scale.status.selector) : undefined, deps);
}

/** A selector that is unknown any more must not keep another object from scaling. */
function fileSelector(
  { key, namespace }: ObservedObject,
  selector: Selector | undefined,
  { pods, isThere }: Pick<GatherDeps, "pods" | "isThere">,
): void {
  if (selector !== undefined && isThere(key)) pods.select(namespace, key, selector);
  else pods.drop(namespace, key);
}

/** The pods as they are at the moment of the decision. */
export function podsFor(hpa: ObservedObject, gathered: Gathered, pods: PodIndex): DecideInput["pods"] {
  if (gathered.selector === undefined) return { ok: true, pods: [] };
  return { ok: true, pods: pods.select(hpa.namespace, hpa.key, gathered.selector) };
}

/** Whether a proposal for the object depends on its pods, and not only on its replicas and on values of metrics. */
export function countsPods(hpa: ObservedObject): boolean {
  const metrics = defaultHpa(hpa).spec.metrics ?? [];
  return metrics.some(({ type, external, object }) => {
    if (type === "External") return typeof external?.target?.averageValue !== "string";
    return type !== "Object" || object?.target?.type !== "AverageValue";
  });
}

/** Whether what was gathered for an object is what a later state of the object needs, too. */
export function isGatheredFor(
  { isWithoutMetrics, scale }: Gathered,
  states: { readonly requested: ObservedObject; readonly now: ObservedObject },
  options: GatherDeps["options"],
): boolean {
  const { requested, now } = states;
  if (now === requested) return true;
  if (queryOf(now) !== queryOf(requested)) return false;
  return !(isWithoutMetrics && scale.ok && readsMetrics(now, scale.specReplicas, options));
}

function queryOf({ spec }: ObservedObject): string {
  return JSON.stringify([spec.scaleTargetRef, spec.metrics]);
}

/** Outside its bounds, or at a zero that the HPA did not set, a target is decided without metrics. */
function readsMetrics(hpa: ObservedObject, replicas: number, options: GatherDeps["options"]): boolean {
  if (hpa.isWithoutMetrics) return false;
  if (replicas === 0) {
    if (!leavesZeroByCondition(options.semantics)) return hpa.spec.minReplicas === 0;
    if (!options.scaleToZero) return false;
    const conditions = hpa.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True");
  }
  return replicas <= hpa.spec.maxReplicas && replicas >= (hpa.spec.minReplicas ?? 1);
}
