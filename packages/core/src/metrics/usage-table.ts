import { add, type Int64 } from "../number/int64.ts";
import { milliOf } from "../quantity/milli.ts";
import type { MetricSamples, PodsSample, ResourceSample } from "../spec/samples.ts";
import { textOf } from "../spec/text.ts";
import type { Timestamp } from "../spec/timestamp.ts";

/** One pod's usage as the metrics client hands it to the calculator. */
export interface Usage {
  readonly name: string;
  readonly milli: Int64;
  /** The value as it was written, where it is a single one. */
  readonly text: string | undefined;
  readonly timestamp: Timestamp | undefined;
  readonly windowSeconds: number | undefined;
}

/** In the order served. A pod whose sample lacks the resource has no entry; of two for one pod the last counts. */
export type UsageTable =
  | { readonly ok: true; readonly usage: readonly Usage[] }
  | { readonly ok: false; readonly message: string };

/**
 * @param container only this container's usage; empty means the sum of all.
 * @upstream pkg/controller/podautoscaler/metrics/client.go#GetResourceMetric
 */
export function resourceUsage(samples: MetricSamples, resource: string, container: string): UsageTable {
  const list = podSamples(samples, "resource");
  if (!list.ok) return list;
  const usage: Usage[] = [];
  for (const sample of list.pods as readonly ResourceSample[]) {
    const entry =
      container === "" ? sumOfContainers(sample, resource) : oneContainer(sample, resource, container);
    if (entry !== undefined) usage.push(entry);
  }
  return { ok: true, usage };
}

/** @upstream pkg/controller/podautoscaler/metrics/client.go#GetRawMetric */
export function podsUsage(samples: MetricSamples): UsageTable {
  const list = podSamples(samples, "custom");
  if (!list.ok) return list;
  const usage: Usage[] = [];
  for (const sample of list.pods as readonly PodsSample[]) {
    const milli = milliOf(sample?.value);
    if (milli !== undefined) usage.push(usageOf(sample, milli, sample.value));
  }
  return { ok: true, usage };
}

function podSamples(
  samples: MetricSamples | undefined,
  api: "resource" | "custom",
): { ok: true; pods: readonly unknown[] } | { ok: false; message: string } {
  const message = failureOf(samples, api);
  if (message !== undefined) return { ok: false, message };
  const pods: unknown = (samples as { pods?: unknown } | undefined)?.pods;
  if (!Array.isArray(pods) || pods.length === 0) {
    return { ok: false, message: `no metrics returned from ${api} metrics API` };
  }
  return { ok: true, pods };
}

/** The client's wrapping of a failed call; undefined when the call succeeded. */
export function failureOf(
  samples: MetricSamples | undefined,
  api: "resource" | "custom" | "external",
): string | undefined {
  const error: unknown = (samples as { error?: unknown } | undefined)?.error;
  return typeof error === "string" ? `unable to fetch metrics from ${api} metrics API: ${error}` : undefined;
}

function sumOfContainers(sample: ResourceSample, resource: string): Usage | undefined {
  const containers = sample?.containers;
  if (typeof containers !== "object" || containers === null) return undefined;
  let total: Int64 = 0;
  let count = 0;
  let text: unknown;
  for (const name in containers) {
    text = containers[name]?.[resource];
    const milli = milliOf(text);
    if (milli === undefined) return undefined;
    total = count === 0 ? milli : add(total, milli);
    count++;
  }
  if (count === 0) return undefined;
  return usageOf(sample, total, count === 1 ? text : undefined);
}

function oneContainer(sample: ResourceSample, resource: string, container: string): Usage | undefined {
  const containers = sample?.containers;
  if (typeof containers !== "object" || containers === null || !Object.hasOwn(containers, container))
    return undefined;
  const text = containers[container]?.[resource];
  const milli = milliOf(text);
  return milli === undefined ? undefined : usageOf(sample, milli, text);
}

/** The first pod whose sample lacks a container. */
export function podWithout(container: string, samples: MetricSamples): string | undefined {
  const list = podSamples(samples, "resource");
  if (!list.ok) return undefined;
  const lacks = (sample: ResourceSample) => !Object.hasOwn(sample?.containers ?? {}, container);
  const found = (list.pods as readonly ResourceSample[]).find(lacks);
  return found === undefined ? undefined : textOf(found?.name);
}

function usageOf(sample: ResourceSample | PodsSample, milli: Int64, text: unknown): Usage {
  return {
    name: textOf(sample.name),
    milli,
    text: typeof text === "string" ? text : undefined,
    timestamp: sample.timestamp,
    windowSeconds: sample.windowSeconds,
  };
}
