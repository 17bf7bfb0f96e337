import type { PrometheusClient } from "@plimsoll/prometheus";

/** A Prometheus that metrics come from. */
export interface Source {
  readonly client: PrometheusClient;
  /** How old the data of a reused result may be; 0 sends a query for every request. */
  readonly resultMaxAgeMs: number;
  /** How long a query may take; undefined: what is left of the request's time. */
  readonly queryTimeoutMs?: number | undefined;
  /** Queries in flight; undefined: 48. */
  readonly maxQueries?: number | undefined;
  /** Of these, queries that tenants wrote; undefined: 30 %, 6 at most. */
  readonly maxTenantQueries?: number | undefined;
  /** For results that are kept; undefined: 32 MiB. */
  readonly resultBytes?: number | undefined;
  /** Whether it has a tenant for each namespace: nothing is sent that is of none. */
  readonly isByNamespace?: boolean | undefined;
  /** The query of a MetricRule as it is sent; undefined: as it is. */
  readonly shown?: ((query: string) => string) | undefined;
  /** Whether requests of a namespace may use it; undefined: all may. */
  readonly serves?: ((namespace: string) => boolean) | undefined;
}
