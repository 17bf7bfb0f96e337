// Records a simulated workload as an observer with exact clocks would: each decision, each pod, each value.
import { type DecideInput, instantMs, type MetricSamples } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { RecordedMetric, RecordedPod, RecordedSample, Recording, Scenario } from "../src/index.ts";
import { createWorkloadParts } from "../src/loop/workload-parts.ts";
import { createWorkloadRun } from "../src/loop/workload-run.ts";
import { maxWindowMs } from "../src/measure/samples.ts";
import type { SimulatedPod } from "../src/plant/pod.ts";

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
  const metrics = (hpa.spec.metrics ?? []).map((_, index) => ({
    index,
    level: "series" as const,
    samples: [] as RecordedSample[],
    gaps: [],
  }));
  const [syncs, scale, status]: [
    number[],
    Mutable<Recording["scale"][number]>[],
    Mutable<Recording["status"][number]>[],
  ] = [[], [], []];
  const fromMs = startMs - maxWindowMs(workload, scenario);
  const parts = createWorkloadParts(scenario, workload, {
    fromMs,
    nodes: undefined,
    seriesPoints: 0,
    advance: (atMs) => run.advance(atMs),
  });
  const keep = (atMs: number, samples: readonly MetricSamples[]) => {
    for (const [index, one] of samples.entries()) {
      const values = valuesOf(one);
      metrics[index]?.samples.push({ atMs, values: values ?? [] });
    }
  };
  const run = createWorkloadRun(parts, {
    index: 0,
    startMs,
    endMs: startMs + durationMs,
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
      const values = (decision.status.currentMetrics ?? []).map(currentOf);
      const scalingActive =
        decision.status.conditions.find(({ type }) => type === "ScalingActive")?.status === "True";
      status.push({
        atMs: atMs + 1,
        currentReplicas: current,
        desiredReplicas: decision.desiredReplicas,
        values,
        scalingActive,
      });
    },
  });
  const pods = new Map<string, OwnPod>();
  const look = () => {
    for (const pod of parts.pods.all) watch(pods, pod, requestsOf(workload.pod));
  };
  let sampled = 0;
  const asked = options.samplesAt ?? [];
  while (run.nextMs() < startMs + durationMs) {
    const nextMs = run.nextMs();
    while ((asked[sampled] ?? Infinity) < nextMs) {
      const atMs = asked[sampled++] ?? 0;
      if (atMs >= startMs) keep(atMs, parts.measurements.samples(atMs, parts.pods.all));
    }
    run.step(nextMs);
    look();
  }
  return {
    version: 1,
    target: { namespace: "default", kind: "Deployment", name: workload.name },
    span: { fromMs: startMs, toMs: startMs + durationMs },
    autoscaler: { object: hpa, changes: [] },
    syncs: { atMs: syncs, clock: "known" },
    pods: [...pods.values()],
    scale,
    metrics: metrics satisfies RecordedMetric[],
    status: options.scrapeMs === undefined ? status : scraped(status, options.scrapeMs),
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

function valuesOf(samples: MetricSamples): RecordedSample["values"] | undefined {
  if ("error" in samples) return undefined;
  if ("value" in samples) return [{ value: amount(samples.value) }];
  if ("values" in samples) return samples.values.map(({ value }) => ({ value: amount(value) }));
  return samples.pods.map((one) => {
    if ("value" in one) return { pod: one.name, value: amount(one.value) };
    const [usage] = Object.values(one.containers);
    const { cpu = usage?.["memory"] } = usage ?? {};
    const measuredMs = instantMs(one.timestamp) ?? 0;
    return {
      pod: one.name,
      value: amount(cpu ?? "0"),
      measuredMs,
      windowMs: (one.windowSeconds ?? 0) * 1000,
    };
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
