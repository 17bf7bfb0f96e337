import type { PrometheusClient } from "@plimsoll/prometheus";

/** What rules need of a Prometheus: queries, and lists of series and labels. A PrometheusClient, or a part of one. */
export type PrometheusRead = Pick<PrometheusClient, "query" | "series" | "labelNames" | "labelValues">;
