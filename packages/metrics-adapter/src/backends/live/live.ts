// Live metrics of the adapter: the pods of the cluster, the limits of the flags, and the queries of rules.
import type { CacheMeter } from "@plimsoll/component-base";
import { createLiveMetrics, createPageFetcher, createWindows } from "@plimsoll/live";
import type { QuerySource } from "@plimsoll/metric-rules";
import type { LiveOptions } from "../../options/live.ts";
import { createFileQueries, type RunLive } from "./file-queries.ts";
import { createFindPods, type FindPodsParts } from "./find-pods.ts";
import { createLiveQueries } from "./live-queries.ts";

/** On average: a minute of samples once a second. */
const samplesPerSeries = 64;
/** On average. */
const labelBytesPerSeries = 1_000;

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
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
}

export type LiveParts = Omit<FindPodsParts, "addresses" | "readText"> & {
  readonly random?: (() => number) | undefined;
  readonly meter?: CacheMeter | undefined;
};

export function createLive(
  { options, ca, userAgent, namespaceLabel, readText }: LiveSettings,
  parts: LiveParts,
): Live {
  const { clock, random = Math.random } = parts;
  const { maxBytes, insecureSkipVerify, addresses, seriesPerNamespace: series } = options;
  const metrics = createLiveMetrics({
    ...options,
    clock,
    random,
    fetcher: createPageFetcher({ clock, maxBytes, userAgent, tls: { ca, insecureSkipVerify } }),
    openWindow: createWindows(
      { series, samples: samplesPerSeries * series, labelBytes: labelBytesPerSeries * series },
      namespaceLabel,
    ),
  });
  const findPods = createFindPods({ ...parts, addresses, readText });
  return {
    queries: (others) => createLiveQueries(others, metrics, findPods),
    run: createFileQueries({ ...parts, metrics, findPods }),
    stop: metrics.stop,
  };
}
