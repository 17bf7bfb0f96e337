// Live metrics of the adapter: the pods of the cluster, the limits of the flags, and the queries of rules.
import { X509Certificate } from "node:crypto";
import { atMostEvery, type CacheMeter, type Logger } from "@plimsoll/component-base";
import { createLiveMetrics, createPageFetcher, createWindows } from "@plimsoll/live";
import type { QuerySource } from "@plimsoll/metric-rules";
import type { Registry } from "prom-client";
import type { LiveOptions } from "../../options/live.ts";
import { define } from "../../telemetry/counter.ts";
import { createFileQueries, type RunLive } from "./file-queries.ts";
import { createFindPods, type FindPodsParts } from "./find-pods.ts";
import { createLiveQueries } from "./live-queries.ts";

/** On average: a minute of samples once a second. */
const [samplesPerSeries, labelBytesPerSeries] = [64, 1_000];

export interface Live {
  queries(others: QuerySource): QuerySource;
  /** Of rules of the file. */
  readonly run: RunLive;
  stop(): Promise<void>;
}

/** The flags, with the text of the file that they name. */
export interface LiveSettings {
  readonly options: LiveOptions;
  /** Of pods that are served by https. */
  readonly ca: string | undefined;
  readonly userAgent: string;
  readonly readText: FindPodsParts["readText"];
}

/** Makes it of the parts of an engine. */
export type CreateLive = (parts: LiveParts) => Live;

export type LiveParts = Omit<FindPodsParts, "addresses" | "readText"> & {
  readonly random?: (() => number) | undefined;
  /** Absent: by HTTP. */
  readonly fetcher?: ReturnType<typeof createPageFetcher>;
  readonly meter?: CacheMeter | undefined;
  readonly registry?: Registry | undefined;
  readonly log: Logger;
};

const rereadMs = 10_000;

export function createLive(settings: LiveSettings, parts: LiveParts): Live {
  const { options, userAgent, readText } = settings;
  const { clock, random = Math.random } = parts;
  const { maxBytes, addresses, seriesPerNamespace: series } = options;
  const tls = { ca: createCa(settings, parts), insecureSkipVerify: options.insecureSkipVerify };
  const { counter, sampled } = define(parts.registry === undefined ? [] : [parts.registry]);
  const scrapes = counter("plimsoll_adapter_live_scrapes_total", "Scrapes of pods for live metrics.", [
    "outcome",
  ]);
  sampled(
    "plimsoll_adapter_live_slowed_namespaces",
    "Namespaces scraped less often than requested, because of --live-namespace-scrapes or --live-scrapes.",
    [],
    (gauge) => gauge.set(metrics.slowed()),
  );
  const metrics = createLiveMetrics({
    ...options,
    onScraped: (outcome) => scrapes.inc({ outcome }),
    clock,
    random,
    fetcher: parts.fetcher ?? createPageFetcher({ clock, maxBytes, userAgent, tls }),
    openWindow: createWindows(
      { series, samples: samplesPerSeries * series, labelBytes: labelBytesPerSeries * series },
      { namespaceLabel: options.namespaceLabel },
    ),
  });
  const findPods = createFindPods({ ...parts, addresses, readText });
  return {
    queries: (others) => createLiveQueries(others, metrics, findPods),
    run: createFileQueries({ ...parts, metrics, findPods }),
    stop: metrics.stop,
  };
}

type CaSettings = Pick<LiveSettings, "ca" | "readText"> & { readonly options: Pick<LiveOptions, "caFile"> };

/** The file as it is now, or as it could be read last. */
export function createCa(
  { options: { caFile }, ca: first, readText }: CaSettings,
  { clock, log }: Pick<LiveParts, "clock" | "log">,
): (() => Promise<string>) | undefined {
  if (caFile === undefined) return undefined;
  let ca = first ?? "";
  const reread = atMostEvery(clock, rereadMs, async () => {
    try {
      const text = await readText(caFile);
      // Throws for a file that is half written.
      if (new X509Certificate(text).raw.length > 0) ca = text;
    } catch (error) {
      log.warn({ err: error, paths: [caFile] }, "could not reload files; keeping the old ones");
    }
  });
  return async () => {
    await reread();
    return ca;
  };
}
