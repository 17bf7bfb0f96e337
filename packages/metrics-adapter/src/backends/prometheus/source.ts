import type { PrometheusClient } from "@plimsoll/prometheus";

/** A Prometheus that metrics come from. */
export interface Source {
  readonly client: PrometheusClient;
  /** How old the data of a reused result may be; 0 sends a query for every request. */
  readonly resultMaxAgeMs: number;
  /** How long a query may take; undefined: what is left of the request's time. */
  readonly queryTimeoutMs?: number | undefined;
}
