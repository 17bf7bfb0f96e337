// A Prometheus that scrapes the sandbox's exporter every 15 seconds, for the adapter of a simulated cluster.
import { createLoadModel, type LoadModel, type WorkloadLoad } from "@plimsoll/sandbox";
import { createEvaluationLog } from "@plimsoll/storm/prometheus/evaluation-log";
import { createFetch } from "@plimsoll/storm/prometheus/fetch";
import { createHttpApi } from "@plimsoll/storm/prometheus/http-api";
import { createSeries, type Series } from "@plimsoll/storm/prometheus/series";
import { createSeriesTable, type SeriesTable } from "@plimsoll/storm/prometheus/series-table";
import type { SimulatedPrometheus } from "@plimsoll/storm/prometheus/simulated-prometheus";
import type { Ground } from "@plimsoll/storm/run/parts";
import type { World } from "@plimsoll/storm/run/world";

/** The loads begin with the run. Each pod is a target with a phase of its own, and so is what has no pods. */
export function createSandboxPrometheus(
  { time, random, cluster }: Ground & Pick<World, "cluster">,
  loads: readonly WorkloadLoad[],
  scrapeMs: number,
): SimulatedPrometheus {
  const clock = { nowMs: () => time.nowMs, after: time.after };
  const model = createLoadModel({ clock, store: cluster.store, loads });
  model.start();
  const table = createSeriesTable();
  const targets = new Set<string>();
  const watch = (target: string): void => {
    if (targets.has(target)) return;
    targets.add(target);
    const scrape = createScrape(table);
    const repeat = (): void => {
      scrape(seriesOf(model.collect(), target), time.nowMs);
      time.after(scrapeMs, repeat);
    };
    time.after(random.stream(`scrape/${target}`).between(1, scrapeMs), repeat);
  };
  watch("");
  cluster.subscribe(({ event: { resource, object } }) => {
    if (resource === "pods") watch(object.metadata.name);
  });
  const api = createHttpApi({ table, leftOut: () => undefined });
  const log = createEvaluationLog();
  return {
    fetchOf: (process) =>
      createFetch(
        {
          time,
          random,
          aheadMs: () => 0,
          fateOf: () => undefined,
          respond(url, body, evaluation) {
            const response = api.respond(url, body, evaluation.datedMs);
            log.record(evaluation, response.rows);
            return response.body;
          },
        },
        process,
      ),
    valuesOf: log.valuesOf,
    readPage: () => "silent",
    add: () => () => {},
    resetCounters: () => {},
    stepClock: () => {},
  };
}

interface Exported {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Those of a pod; of no pod where it has no name. */
function seriesOf(families: ReturnType<LoadModel["collect"]>, pod: string): readonly Exported[] {
  return families.flatMap(({ name, samples }) =>
    samples
      .filter(({ labels }) => (labels["pod"] ?? "") === pod)
      .map(({ labels, value }) => ({ name, labels, value })),
  );
}

/** Appends what is exported, and marks as ended what is not any more. */
function createScrape(table: SeriesTable): (exported: readonly Exported[], atMs: number) => void {
  const known = new Map<string, Series>();
  return (exported, atMs) => {
    const seen = new Set<string>();
    for (const { name, labels, value } of exported) {
      const key = `${name} ${JSON.stringify(labels)}`;
      const series = known.get(key) ?? createSeries(name, labels, key);
      if (!known.has(key)) table.add(series);
      known.set(key, series);
      seen.add(key);
      series.append(atMs, value);
    }
    for (const [key, series] of known) {
      if (seen.has(key)) continue;
      series.markStale(atMs);
      known.delete(key);
    }
  };
}
