// Reads the values of a custom metric out of the result of its query.
import {
  type CustomEntry,
  type Doubled,
  describeSamples,
  groupResourceOf,
  labelProblem,
  type Matched,
  matchSamples,
  quantityOf,
} from "@plimsoll/rules";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import type { CustomMetricValue, CustomRequest } from "./custom-api.ts";
import { noValue } from "./custom-objects.ts";
import { partialFailure } from "./failure.ts";
import type { WarnLeftOut } from "./left-out.ts";
import { type Failed, failed, type Outcome, ok } from "./outcome.ts";
import type { MetricResult } from "./pipeline.ts";

export interface ReadValuesOptions {
  readonly telemetry: EngineTelemetry;
  readonly warnLeftOut: WarnLeftOut;
}

/** The value of each object, out of the result of a query. */
export function readValues(
  options: ReadValuesOptions,
  request: CustomRequest,
  found: MetricResult<CustomEntry>,
): Outcome<readonly CustomMetricValue[]> {
  const { entry, metric, names, result } = found;
  const isList = request.query.name === "*";
  // Of many objects some are missing then, and count as such; of one the value itself may be too small.
  const partial = isList ? undefined : partialFailure(result);
  if (partial !== undefined) return partial;
  if (result.type !== "vector") {
    const message = `unable to fetch metrics: the query returned a ${result.type} instead of one value per object`;
    return failed("Internal", message);
  }
  const matched = matchSamples({
    samples: result.samples,
    resourceLabel: entry.resourceLabel,
    names,
    namespace: metric.namespace,
  });
  const values = valuesOf(request, found, matched);
  const [double] = matched.doubled;
  if (double !== undefined) {
    const failure = severalSeries(entry, double);
    if (values.length === 0) return failure;
    const about = `${entry.rule.path} ${groupResourceOf(entry.info)}/${entry.metric}`;
    options.warnLeftOut(about, { objects: matched.doubled.length, cause: failure.failure.message });
  }
  const unlabeled = labelProblem(result.samples, entry.resourceLabel, entry.rule.metricsQuery);
  if (unlabeled !== undefined) return noValue(request, entry, unlabeled);
  const recordDropped = (): void => countDropped(options.telemetry, matched, values.length);
  recordDropped();
  if (isList || values.length > 0) return ok(values, { isFresh: () => true, reused: recordDropped });
  const sample = matched.byName.get(request.query.name);
  const cause = sample === undefined ? "it has no series" : `its value is ${String(sample.value)}`;
  return noValue(request, entry, cause);
}

function countDropped(telemetry: EngineTelemetry, matched: Matched, used: number): void {
  const unusable = matched.byName.size - used;
  const doubled = matched.doubled.reduce((sum, { samples }) => sum + samples.length, 0);
  if (matched.foreign > 0) telemetry.samplesDropped("other_namespace", matched.foreign);
  if (unusable > 0) telemetry.samplesDropped("not_a_number", unusable);
  if (doubled > 0) telemetry.samplesDropped("several_series", doubled);
}

function valuesOf(
  { query }: CustomRequest,
  { entry, metric, names, plan }: MetricResult<CustomEntry>,
  { byName }: Matched,
): readonly CustomMetricValue[] {
  const shared = {
    kind: entry.info.kind,
    apiVersion: `${entry.info.group}/${entry.info.version}`,
    namespace: query.namespace,
    metric: entry.metric,
    windowSeconds: plan.windowSeconds,
    selector: metric.selector,
  };
  const values: CustomMetricValue[] = [];
  for (const name of names) {
    const sample = byName.get(name);
    const value = sample === undefined ? undefined : quantityOf(sample.value);
    if (sample !== undefined && value !== undefined)
      values.push({ ...shared, name, value, atMs: sample.atMs });
  }
  return values;
}

function severalSeries({ info }: CustomEntry, { name, samples }: Doubled): Failed {
  const cause = `several series for ${groupResourceOf(info)} ${name}: ${describeSamples(samples.slice(0, 2))}`;
  return failed("Internal", `unable to fetch metrics: the query returned ${cause}`);
}
