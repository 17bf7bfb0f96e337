// The first run of a column as a recording: what `tune` and `backtest` read of a Prometheus.
import type { RecordedSample, RecordedStep, Recording } from "@plimsoll/backtest";
import type { MetricSamples, MetricSpec } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { asWritten } from "@plimsoll/core/queries";
import { type Autoscaler, type ScenarioFile, scenarioOf, simulate, writtenTuning } from "@plimsoll/simulator";
import { CliError } from "../../seams.ts";

/** Of one autoscaler on Object and External metrics, of whose pods only the count is recorded. @throws CliError for others */
export function recordedRun(file: ScenarioFile, number: number): Recording {
  const column = file.columns[number - 1];
  if (column === undefined)
    throw new CliError(`--column ${number}: the scenario's last column is ${file.columns.length}`);
  const [own, another] = column.autoscalers;
  if (own === undefined || another !== undefined)
    throw new CliError(
      `--save: ${column.name} has ${column.autoscalers.length} autoscalers: a recording can have one only`,
    );
  const { hpa, schedules } = own.autoscaler;
  const metrics = hpa.spec.metrics ?? [];
  if (schedules !== undefined || metrics.some(({ type }) => type !== "External" && type !== "Object"))
    throw new CliError(
      `--save: ${column.name} scales on metrics other than Object and External ones, which need pod times: record it from Prometheus`,
    );
  const scenario = scenarioOf(file, column, 0);
  const { startMs, durationMs, workloads } = scenario;
  const { namespace, name, kind } = workloads[own.workload] ?? { namespace: "default", name: "", kind: "" };
  const atMs: number[] = [];
  const scale: RecordedStep[] = [];
  const samples: RecordedSample[][] = metrics.map(() => []);
  simulate(scenario, {
    seriesPoints: 0,
    onSync({ workload, atMs: nowMs, input, result: { decision } }) {
      if (workload !== own.workload) return;
      atMs.push(nowMs);
      for (const [index, one] of input.samples.entries())
        samples[index]?.push({ atMs: nowMs, values: valuesOf(one) });
      const current = input.scale.ok ? input.scale.specReplicas : 0;
      if (scale.length === 0) scale.push({ atMs: startMs, earliestMs: startMs, value: current });
      const value = decision.scaleTo ?? current;
      if (value !== current) scale.push({ atMs: nowMs, earliestMs: nowMs, value });
    },
  });
  return {
    version: 1,
    target: { namespace, kind, name },
    span: { fromMs: startMs, toMs: startMs + durationMs },
    autoscaler: {
      object: { ...kindOf(own.autoscaler), metadata: { name, namespace }, spec: writtenSpec(own.autoscaler) },
      changes: [],
    },
    syncs: { atMs, clock: "known" },
    pods: [],
    scale,
    metrics: samples.map((own, index) => ({ index, level: "series", samples: own, gaps: [] })),
    status: [],
  };
}

/** Queries, failure policies and tuning are of WorkloadAutoscalers only. */
function kindOf(autoscaler: Autoscaler): {
  readonly apiVersion: string;
  readonly kind: string;
} {
  const { hpa, failurePolicies = [] } = autoscaler;
  const hasQuery = (hpa.spec.metrics ?? []).some(({ query }) => query !== undefined);
  const hasPolicy = failurePolicies.some(({ policy }) => policy !== "Block");
  return hasQuery || hasPolicy || writtenTuning(autoscaler) !== undefined
    ? { apiVersion: "autoscaling.plimsoll.dev/v1alpha1", kind: "WorkloadAutoscaler" }
    : { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
}

function writtenSpec(autoscaler: Autoscaler): object {
  const { failurePolicies = [] } = autoscaler;
  const tuning = writtenTuning(autoscaler);
  const spec = { ...autoscaler.hpa.spec, ...(tuning === undefined ? {} : { tuning }) };
  if (spec.metrics === undefined) return spec;
  const written = (metric: MetricSpec, index: number): object => {
    const policy = failurePolicies[index];
    return policy === undefined || policy.policy === "Block"
      ? asWritten(metric)
      : { ...asWritten(metric), onMetricFailure: policy };
  };
  return { ...spec, metrics: spec.metrics.map(written) };
}

function valuesOf(samples: MetricSamples): RecordedSample["values"] {
  if ("error" in samples || "pods" in samples) return [];
  const values = "value" in samples ? [samples] : samples.values;
  return values.flatMap(({ value }) => {
    const quantity = parseQuantity(value);
    return quantity === undefined ? [] : [{ value: approximateFloat(quantity) }];
  });
}
