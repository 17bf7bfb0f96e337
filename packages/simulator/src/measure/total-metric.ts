// A metric of the whole workload, which one target shows: an ingress in front of it, or its queue.
import type { ObjectSample } from "@plimsoll/core";
import type { MetricMeaning, PodModel } from "../loop/scenario.ts";
import { scrapesIn } from "./pod-window.ts";
import { type MetricQuery, spanOf } from "./pods-metric.ts";
import { milliText } from "./quantity-text.ts";
import { overWindow } from "./rate.ts";
import type { ScrapeGroup } from "./scrapes.ts";

/** The number of the target beside those of the pods. */
const target = -1;

/** Reads the sample at an instant; undefined where there is none. */
export function createTotalMetric(query: MetricQuery): (atMs: number) => ObjectSample | undefined {
  const { meaning, model, scrapes, failures, promql } = query;
  const isPlain = meaning.query === "value";
  const atMs = new Float64Array(scrapes.size);
  const values = new Float64Array(scrapes.size);
  const spanAt = spanOf(query);
  return (toMs) => {
    const group = scrapes.groups[0];
    if (group === undefined) return undefined;
    const span = spanAt(toMs);
    const { first, end } = scrapesIn(group, span);
    let count = 0;
    for (let scrape = first; scrape < end; scrape++) {
      const hasFailed = failures.failed(target, scrape);
      if (hasFailed && isPlain) count = 0;
      if (hasFailed) continue;
      atMs[count] = group.atMs[scrape % scrapes.size] ?? 0;
      values[count++] = totalValue(meaning.of, group, scrape % scrapes.size, model);
    }
    const value = overWindow(meaning.query, { atMs, values, count, fromMs: span.fromMs, toMs }, promql);
    return Number.isFinite(value) ? { value: milliText(value) } : undefined;
  };
}

function totalValue(of: MetricMeaning["of"], group: ScrapeGroup, slot: number, model: PodModel): number {
  switch (of) {
    case "requests":
      return group.served[slot] ?? 0;
    case "offered":
      return group.offered[slot] ?? 0;
    case "backlog":
      return group.backlog[slot] ?? 0;
    case "in-flight":
      return group.inFlight[slot] ?? 0;
    case "cpu":
      return (group.served[slot] ?? 0) * model.cpuPerRequest;
    case "memory":
      return (
        (group.serving[slot] ?? 0) * model.memory.base +
        (group.inFlight[slot] ?? 0) * model.memory.perInFlight
      );
  }
}
