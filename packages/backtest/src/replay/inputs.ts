// The input of a recorded decision, as it was read, or with one thing in it changed.
import type {
  DecideInput,
  HpaStatus,
  MetricSamples,
  MetricSpec,
  Pod,
  SemanticsProfile,
} from "@plimsoll/core";
import type { Autoscaler } from "@plimsoll/simulator";
import { metricsOf } from "@plimsoll/simulator/parts";
import type { RecordedDecision } from "./recorded-decisions.ts";
import { createRecordedPods, type PodsAt, type RecordedPods } from "./recorded-pods.ts";
import {
  createRecordedSamples,
  noSamples,
  type RecordedSamples,
  seriesSamples,
  statusSamples,
  usualContainer,
  usualWindowMs,
  type ValueChange,
} from "./recorded-samples.ts";
import { createRecordedSpecs, type RecordedSpecs } from "./recorded-specs.ts";
import type { RecordedLevel, RecordedPod, Recording } from "./recording.ts";

/** What is not as it was read. */
export interface InputChange {
  /** The whole decision at another instant; what it did is not seen all the same. */
  readonly atMs?: number;
  readonly samplesMs?: number;
  readonly version?: number;
  /** Metrics, by position, with an error in their place. */
  readonly failed?: readonly number[];
  readonly pods?: (read: PodsAt, atMs: number) => PodsAt;
  /** Names of pods that have no sample. */
  readonly unsampled?: ReadonlySet<string>;
  readonly values?: { readonly metric: number; readonly change: ValueChange };
  readonly semantics?: SemanticsProfile;
}

/** A metric that is known. */
export interface ReplayedMetric {
  readonly index: number;
  readonly level: RecordedLevel;
  readonly spec: MetricSpec;
  readonly windowMs: number;
  readonly samples: RecordedSamples;
}

export interface ReplayInputs {
  readonly metrics: readonly ReplayedMetric[];
  readonly pods: RecordedPods;
  readonly specs: RecordedSpecs;
  /** All values are those of the status. */
  readonly isStatusOnly: boolean;
  /** Undefined: the usual one. */
  readonly downscaleStabilizationMs: number | undefined;
  /** Undefined where too little is known. */
  read(
    decision: RecordedDecision,
    status: HpaStatus | undefined,
    change?: InputChange,
  ): DecideInput | undefined;
}

const unlabeled = "app=recorded";

/** `sampleDelayMs` is from the start of a pod to its first sample, where only the status says what samples were. */
export function createInputs(recording: Recording, autoscaler: Autoscaler, sampleDelayMs = 0): ReplayInputs {
  const all = metricsOf(autoscaler);
  const metrics = all.flatMap((spec, index): readonly ReplayedMetric[] => {
    const metric = recording.metrics.find((one) => one.index === index);
    if (metric === undefined || metric.level === "none") return [];
    const { level, windowMs = usualWindowMs } = metric;
    return [{ index, level, spec, windowMs, samples: createRecordedSamples(metric) }];
  });
  const isStatusOnly = metrics.length > 0 && metrics.every(({ level }) => level === "status");
  const pods = createRecordedPods(recording.pods, { withRequests: specOf(metrics), sampleDelayMs });
  const { hpa, ...rest } = autoscaler;
  const full = { ...hpa, spec: { ...hpa.spec, ...(all.length === 0 ? {} : { metrics: all }) } };
  const specs = createRecordedSpecs({ ...rest, hpa: full }, recording.autoscaler.changes);
  const known: Known = { autoscaler, metrics, pods, specs, isOfSchedules: all.length === 0 };
  return {
    metrics,
    pods,
    specs,
    isStatusOnly,
    downscaleStabilizationMs: autoscaler.options?.downscaleStabilizationMs,
    read: (decision, status, change = {}) => inputOf(known, { decision, status, change }),
  };
}

interface Known {
  readonly autoscaler: Autoscaler;
  readonly metrics: readonly ReplayedMetric[];
  readonly pods: RecordedPods;
  readonly specs: RecordedSpecs;
  readonly isOfSchedules: boolean;
}

interface Asked {
  readonly decision: RecordedDecision;
  readonly status: HpaStatus | undefined;
  readonly change: InputChange;
}

function inputOf(known: Known, asked: Asked): DecideInput | undefined {
  const { autoscaler, metrics, specs, isOfSchedules } = known;
  const { decision, status, change } = asked;
  const { current } = decision;
  const nowMs = change.atMs ?? decision.atMs;
  const read = podsOf(known, asked);
  const { unsampled } = change;
  const pods =
    unsampled === undefined
      ? read
      : { ...read, sampled: read.sampled.filter((name) => !unsampled.has(name)), unsampled };
  const samples = samplesOf(metrics, asked, pods);
  if (samples === undefined || (samples.length === 0 && !isOfSchedules)) return undefined;
  const bounds = specs.read(change.version ?? specs.versionAt(nowMs), nowMs);
  // A metric that is unknown at all is as one that the specification lacks.
  const counted = metrics.flatMap(({ index }) => bounds.spec.metrics?.[index] ?? []);
  const policies = autoscaler.failurePolicies;
  return {
    nowMs,
    hpa: {
      ...autoscaler.hpa,
      spec: isOfSchedules ? bounds.spec : { ...bounds.spec, metrics: counted },
      ...(status === undefined ? {} : { status }),
    },
    scale: { ok: true, specReplicas: current, statusReplicas: pods.active, selector: unlabeled },
    pods: { ok: true, pods: pods.pods },
    samples,
    options: {
      ...autoscaler.options,
      ...(change.semantics === undefined ? {} : { semantics: change.semantics }),
    },
    ...(bounds.schedules === undefined ? {} : { schedules: bounds.schedules }),
    ...(policies === undefined
      ? {}
      : { failurePolicies: metrics.map(({ index }) => policies[index] ?? { policy: "Block" }) }),
  };
}

function podsOf({ pods, metrics }: Known, { decision, change }: Asked): PodsAt {
  const { atMs, current, isAbout } = decision;
  const nowMs = change.atMs ?? atMs;
  // Without its instant it is unknown which pods a decision saw.
  const read =
    pods.isEmpty || isAbout
      ? madePods(current, metrics)
      : pods.at(nowMs === atMs ? { atMs } : { atMs: Math.min(atMs, nowMs), readinessMs: nowMs });
  return change.pods === undefined ? read : change.pods(read, nowMs);
}

function samplesOf(
  metrics: readonly ReplayedMetric[],
  { decision, change }: Asked,
  pods: PodsAt,
): readonly MetricSamples[] | undefined {
  const { samplesMs = change.atMs ?? decision.atMs } = change;
  const all: MetricSamples[] = [];
  for (const metric of metrics) {
    const { index, level, samples } = metric;
    const values = change.values?.metric === index ? change.values.change : undefined;
    if (change.failed?.includes(index) === true) {
      all.push(noSamples);
    } else if (level === "status") {
      const { triple } = decision;
      if (triple === undefined) return undefined;
      const value = triple.values[index];
      const { plus = 0, times = 1 } = values ?? {};
      all.push(value === undefined ? noSamples : statusSamples(metric, value * times + plus, pods));
    } else {
      const sample = samples.at(samplesMs);
      if (sample === undefined) return undefined;
      all.push(seriesSamples(metric, sample, pods, values));
    }
  }
  return all;
}

/** A recording may know nothing of the requests: what a status says is a share of them, whatever they are. */
function specOf(metrics: readonly ReplayedMetric[]): (pod: RecordedPod) => NonNullable<Pod["spec"]> {
  const ofStatus = metrics.filter(({ level }) => level === "status");
  return ({ requests }) => {
    const containers = Object.entries(requests).map(([name, own]) => ({
      name,
      resources: { requests: own },
    }));
    const missing = ofStatus.flatMap((metric) => madeContainer(metric));
    return { containers: containers.length > 0 ? containers : missing };
  };
}

function madeContainer({
  spec,
}: ReplayedMetric): readonly NonNullable<NonNullable<Pod["spec"]>["containers"]>[number][] {
  const { resource, containerResource } = spec;
  const name = (resource ?? containerResource)?.name;
  if (name === undefined) return [];
  const requests = { [name]: name === "cpu" ? "1" : "1Gi" };
  return [{ name: containerResource?.container ?? `${usualContainer}-${name}`, resources: { requests } }];
}

/** Where nothing is known of pods, all of the count are Ready. */
function madePods(count: number, metrics: readonly ReplayedMetric[]): PodsAt {
  const made = Array.from({ length: count }, (_, at) => madePod(`replica-${at}`, metrics));
  const names = made.map(({ metadata }) => metadata?.name ?? "");
  return { pods: made, active: count, ready: names, sampled: names };
}

const longAgo = "2000-01-01T00:00:00Z";

export function madePod(name: string, metrics: readonly ReplayedMetric[], isReady = true): Pod {
  const status = isReady ? "True" : "False";
  return {
    metadata: { name },
    spec: { containers: metrics.flatMap((metric) => madeContainer(metric)) },
    status: {
      phase: isReady ? "Running" : "Pending",
      startTime: longAgo,
      conditions: [{ type: "Ready", status, lastTransitionTime: longAgo }],
    },
  };
}
