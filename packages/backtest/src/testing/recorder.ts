// Records a simulated workload as an observer with exact clocks would: each decision, each pod, each value.
import {
  type DecideInput,
  type Decision,
  instantMs,
  type MetricSamples,
  type MetricSpec,
} from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { Scenario } from "@plimsoll/simulator";
import {
  createWorkloadParts,
  createWorkloadRun,
  maxWindowMs,
  type SimulatedPod,
} from "@plimsoll/simulator/testing";
import type { RecordedMetric, RecordedPod, RecordedSample, Recording } from "../replay/recording.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OwnPod = Mutable<Omit<RecordedPod, "ready">> & { ready: { fromMs: number; toMs?: number }[] };

export interface RecordOptions {
  /** Values are read then; absent: at the decisions. */
  readonly samplesAt?: readonly number[];
  /** The status is read so often; absent: after each decision. */
  readonly scrapeMs?: number;
}

/** Of the first workload of a scenario without nodes. */
export function recordScenario(scenario: Scenario, options: RecordOptions = {}): Recording {
  const { startMs, durationMs, controller } = scenario;
  const [workload] = scenario.workloads;
  if (workload?.autoscaler === undefined) throw new Error("the scenario has no autoscaler");
  const { hpa } = workload.autoscaler;
  const endMs = startMs + durationMs;
  const metrics = (hpa.spec.metrics ?? []).map((): RecordedSample[] => []);
  const syncs: number[] = [];
  const scale: Recording["scale"][number][] = [];
  const status: Recording["status"][number][] = [];
  const parts = createWorkloadParts(scenario, workload, {
    fromMs: startMs - maxWindowMs(workload, scenario),
    nodes: undefined,
    seriesPoints: 0,
    advance: (atMs) => run.advance(atMs),
  });
  const keep = (atMs: number, samples: readonly MetricSamples[]) => {
    for (const [index, one] of samples.entries())
      metrics[index]?.push({ atMs, values: valuesOf(one, scenario) ?? [] });
  };
  const run = createWorkloadRun(parts, {
    index: 0,
    startMs,
    endMs,
    firstSyncMs: startMs + (controller.firstSyncMs ?? 5000),
    slipMs: controller.slipMs,
    reactionMs: controller.reactionMs,
    onSync({ atMs, input, result: { decision } }) {
      syncs.push(atMs);
      const current = specReplicas(input);
      const value = decision.scaleTo ?? current;
      if (scale.length === 0) scale.push({ atMs: startMs, earliestMs: startMs, value: current });
      if (value !== current) scale.push({ atMs, earliestMs: atMs, value });
      if (options.samplesAt === undefined) keep(atMs, input.samples);
      status.push(statusAfter(atMs, current, decision));
    },
  });
  const pods = new Map<string, OwnPod>();
  const asked = (options.samplesAt ?? []).filter((atMs) => atMs >= startMs);
  let sampled = 0;
  for (let nextMs = run.nextMs(); nextMs < endMs; nextMs = run.nextMs()) {
    for (let atMs = asked[sampled]; atMs !== undefined && atMs < nextMs; atMs = asked[++sampled])
      keep(atMs, parts.measurements.samples(atMs, parts.pods.all));
    run.step(nextMs);
    for (const pod of parts.pods.all) watch(pods, pod, requestsOf(workload.pod));
  }
  return {
    version: 1,
    target: { namespace: "default", kind: "Deployment", name: workload.name },
    span: { fromMs: startMs, toMs: endMs },
    autoscaler: { object: hpa, changes: [] },
    syncs: { atMs: syncs, clock: "known" },
    pods: [...pods.values()],
    scale,
    metrics: metrics.map((samples, index) =>
      metricOf(samples, { index, spec: hpa.spec.metrics?.[index], scenario }),
    ),
    status: options.scrapeMs === undefined ? status : scraped(status, options.scrapeMs),
  };
}

/** The metrics adapter says of a resource metric how it is measured, and its values do not. */
function queriedOf(
  { scraping: { resourceQuery } }: Scenario,
  spec: MetricSpec | undefined,
): Pick<RecordedMetric, "rangeMs" | "windowMs"> {
  if (resourceQuery === undefined || (spec?.resource ?? spec?.containerResource) === undefined) return {};
  const { query, rangeMs, windowMs } = resourceQuery;
  return { rangeMs: query === "irate" ? 0 : rangeMs, windowMs };
}

function metricOf(
  samples: readonly RecordedSample[],
  of: { readonly index: number; readonly spec: MetricSpec | undefined; readonly scenario: Scenario },
): RecordedMetric {
  return { index: of.index, level: "series", ...queriedOf(of.scenario, of.spec), samples, gaps: [] };
}

function statusAfter(
  atMs: number,
  currentReplicas: number,
  { desiredReplicas, status: { conditions, currentMetrics } }: Decision,
): Recording["status"][number] {
  return {
    atMs: atMs + 1,
    currentReplicas,
    desiredReplicas,
    values: (currentMetrics ?? []).map(currentOf),
    scalingActive: conditions.find(({ type }) => type === "ScalingActive")?.status === "True",
  };
}

/** The newest status at each scrape. */
function scraped(status: Recording["status"], everyMs: number): Recording["status"] {
  const all: Recording["status"][number][] = [];
  let at = 0;
  for (let atMs = (status[0]?.atMs ?? 0) + 777; at < status.length; atMs += everyMs) {
    while ((status[at + 1]?.atMs ?? Infinity) <= atMs) at++;
    const one = status[at];
    if (one !== undefined) all.push({ ...one, atMs });
    if (at === status.length - 1) break;
  }
  return all;
}

/** What kube-state-metrics and a Prometheus know of it: whole seconds, and the count at scrapes. */
export function asScraped(recording: Recording, everyMs: number): Recording {
  const floor = (ms: number) => Math.floor(ms / 1000) * 1000;
  const pods = recording.pods.map(({ startedMs, runningMs, deletedMs, ...pod }) => ({
    ...pod,
    createdMs: floor(pod.createdMs),
    ...(startedMs === undefined ? {} : { startedMs: floor(startedMs) }),
    ...(runningMs === undefined ? {} : { runningMs: floor(runningMs) }),
    ...(deletedMs === undefined ? {} : { deletedMs: floor(deletedMs) }),
    ready: pod.ready.map(({ fromMs, toMs }) => ({
      fromMs: floor(fromMs),
      ...(toMs === undefined ? {} : { toMs: floor(toMs) }),
    })),
    uncertaintyMs: 1000,
  }));
  const { fromMs, toMs } = recording.span;
  const scale: Recording["scale"][number][] = [];
  let at = 0;
  for (let atMs = fromMs + 3210; atMs < toMs; atMs += everyMs) {
    while ((recording.scale[at + 1]?.atMs ?? Infinity) <= atMs) at++;
    const value = recording.scale[at]?.value ?? 0;
    if (scale.at(-1)?.value !== value) scale.push({ atMs, earliestMs: atMs - everyMs, value });
  }
  return { ...recording, pods, scale, syncs: { atMs: [], clock: "unknown" } };
}

function watch(pods: Map<string, OwnPod>, pod: SimulatedPod, requests: RecordedPod["requests"]): void {
  const known = pods.get(pod.name);
  const own: OwnPod = known ?? {
    name: pod.name,
    createdMs: pod.createdMs,
    ready: [],
    requests,
    uncertaintyMs: 0,
  };
  pods.set(pod.name, own);
  if (pod.startMs !== undefined) own.startedMs ??= pod.startMs;
  const [life] = pod.lives;
  if (life !== undefined) own.runningMs ??= life.startMs;
  if (pod.deletedMs !== undefined) own.deletedMs ??= pod.deletedMs;
  const open = own.ready.at(-1);
  const isOpen = open !== undefined && open.toMs === undefined;
  if (pod.stage === "ready" && !isOpen) own.ready.push({ fromMs: pod.readinessMs });
  if (pod.stage === "crashed" && isOpen) open.toMs = pod.readinessMs;
}

function requestsOf({
  container,
  requests,
}: {
  container: string;
  requests: { cpu?: number; memory?: number };
}) {
  const { cpu, memory } = requests;
  return {
    [container]: {
      ...(cpu === undefined ? {} : { cpu: `${Math.round(cpu * 1000)}m` }),
      ...(memory === undefined ? {} : { memory: String(memory) }),
    },
  };
}

function specReplicas({ scale }: DecideInput): number {
  return scale.ok ? scale.specReplicas : 0;
}

function valuesOf(samples: MetricSamples, { scraping }: Scenario): RecordedSample["values"] | undefined {
  if ("error" in samples) return undefined;
  if ("value" in samples) return [{ value: amount(samples.value) }];
  if ("values" in samples) return samples.values.map(({ value }) => ({ value: amount(value) }));
  return samples.pods.map((one) => {
    if ("value" in one) return { pod: one.name, value: amount(one.value) };
    const [usage] = Object.values(one.containers);
    const { cpu = usage?.["memory"] } = usage ?? {};
    const value = amount(cpu ?? "0");
    if (scraping.resourceQuery !== undefined) return { pod: one.name, value };
    const measuredMs = instantMs(one.timestamp) ?? 0;
    return { pod: one.name, value, measuredMs, windowMs: (one.windowSeconds ?? 0) * 1000 };
  });
}

function currentOf(metric: object): number | undefined {
  const [source] = Object.values(metric).filter((one) => typeof one === "object") as {
    current?: Record<string, unknown>;
  }[];
  const { averageUtilization, averageValue, value } = source?.current ?? {};
  if (typeof averageUtilization === "number") return averageUtilization;
  const text = averageValue ?? value;
  return typeof text === "string" ? amount(text) : undefined;
}

function amount(text: string): number {
  return approximateFloat(parseQuantity(text));
}
