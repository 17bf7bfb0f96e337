// Reads the usage of pods from samples.

import type { MetricSamples, PodsSample, ResourceSample } from "../../objects/samples.ts";
import type { Semantics } from "../../objects/semantics.ts";
import { textOf } from "../../values/fields.ts";
import { add, type Int64 } from "../../values/number/int64.ts";
import { milliText } from "../../values/quantity/format.ts";
import { milliOf } from "../../values/quantity/milli.ts";

type Sample = ResourceSample | PodsSample;

/** Samples in the order served, as the metrics client hands them to the calculator. */
export interface Usage {
  readonly samples: readonly Sample[];
  /** Reads one sample into `current`; false where it lacks the resource. */
  read(at: number): boolean;
  readonly current: CurrentUsage;
}

/** Overwritten by each reading, so that many samples cost no object each. */
interface CurrentUsage {
  readonly semantics: Semantics;
  milli: Int64;
  /** The value as it was written, where it is a single one. */
  text: string | undefined;
}

export type UsageTable =
  | { readonly ok: true; readonly usage: Usage }
  | { readonly ok: false; readonly message: string };

/**
 * @param container only this container's usage; empty means the sum of all.
 * @upstream pkg/controller/podautoscaler/metrics/client.go#GetResourceMetric
 */
export function resourceUsage(
  samples: MetricSamples,
  { resource, container, semantics }: { resource: string; container: string; semantics: Semantics },
): UsageTable {
  return usageTable(podSamples(samples, "resource"), semantics, (sample, current) => {
    const { containers } = (sample ?? {}) as Partial<ResourceSample>;
    if (typeof containers !== "object" || containers === null) return false;
    if (container === "") return readSum(containers, resource, current);
    if (!Object.hasOwn(containers, container)) return false;
    return readOne(containers[container]?.[resource], current);
  });
}

/** @upstream pkg/controller/podautoscaler/metrics/client.go#GetRawMetric */
export function podsUsage(samples: MetricSamples, semantics: Semantics): UsageTable {
  return usageTable(podSamples(samples, "custom"), semantics, (sample, current) =>
    readOne((sample as Partial<PodsSample> | null)?.value, current),
  );
}

function usageTable(
  list: PodSampleList,
  semantics: Semantics,
  read: (sample: unknown, current: CurrentUsage) => boolean,
): UsageTable {
  if (!list.ok) return list;
  const samples = list.pods as readonly Sample[];
  const current: CurrentUsage = { semantics, milli: 0, text: undefined };
  return { ok: true, usage: { samples, current, read: (at) => read(samples[at], current) } };
}

type PodSampleList =
  | { readonly ok: true; readonly pods: readonly unknown[] }
  | { readonly ok: false; readonly message: string };

function podSamples(samples: MetricSamples | undefined, api: "resource" | "custom"): PodSampleList {
  const message = failureOf(samples, api);
  if (message !== undefined) return { ok: false, message };
  const pods: unknown = (samples as { pods?: unknown } | undefined)?.pods;
  if (!Array.isArray(pods) || pods.length === 0)
    return { ok: false, message: `no metrics returned from ${api} metrics API` };
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

function readSum(containers: ResourceSample["containers"], resource: string, current: CurrentUsage): boolean {
  let total: Int64 = 0;
  let count = 0;
  let text: unknown;
  for (const name in containers) {
    text = containers[name]?.[resource];
    const milli = milliOf(text, current.semantics);
    if (milli === undefined) return false;
    total = count === 0 ? milli : add(total, milli);
    count++;
  }
  current.milli = total;
  current.text = count === 1 && typeof text === "string" ? text : undefined;
  return count > 0;
}

function readOne(text: unknown, current: CurrentUsage): boolean {
  const milli = milliOf(text, current.semantics);
  if (milli === undefined) return false;
  current.milli = milli;
  current.text = typeof text === "string" ? text : undefined;
  return true;
}

export function usageName({ samples }: Usage, at: number): string {
  return textOf(samples[at]?.name);
}

/** What was read last, as text. */
export function usageText({ current }: Usage): string {
  return current.text ?? milliText(current.milli);
}

/** The first pod whose sample lacks a container. */
export function podWithout(container: string, samples: MetricSamples): string | undefined {
  const list = podSamples(samples, "resource");
  if (!list.ok) return undefined;
  const lacks = (sample: ResourceSample) => !Object.hasOwn(sample?.containers ?? {}, container);
  const found = (list.pods as readonly ResourceSample[]).find(lacks);
  return found === undefined ? undefined : textOf(found?.name);
}
