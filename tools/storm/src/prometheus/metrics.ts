// The metrics that simulated pods and workloads export, and what one unit of load is in each.

/** Series by the object that they are about. For each unit of demand the value grows by what stands here. */
export const perUnit = {
  /** Counter of a pod: requests per second. */
  http_requests_total: 1_000,
  /** Gauge of a pod. */
  busy_workers: 1_000,
  /** Counter of a container: cores. */
  container_cpu_usage_seconds_total: 1,
  /** Gauge of a container: bytes. */
  container_memory_working_set_bytes: 128 * 1024 * 1024,
  /** Counter of the Ingress that has the workload's name: requests per second for all of it. */
  ingress_requests_total: 1_000,
  /** Gauge of the Service that has the workload's name: for one of its serving pods. */
  open_connections: 1_000,
  /** Gauge of the queue that has the workload's name: for all of it. */
  queue_depth: 1_000,
} as const;

export type SeriesName = keyof typeof perUnit;

/** What an idle container takes. */
export const idle = { cores: 0.02, memoryBytes: 64 * 1024 * 1024 };
/** Of one container; the others of a pod idle. */
export const maxMemoryBytes = 2 * 1024 * 1024 * 1024;

/** Whose value a series is: "http_requests_total shop/web-1". */
export function identityOf(name: SeriesName, namespace: string, object: string): string {
  return `${name} ${namespace}/${object}`;
}

/** So many series at a time have low digits of their own. */
const marks = 9_973;

/**
 * A value whose last four digits, in thousandths, are the number of its series: values of two objects are not equal by
 * chance. What rests is 0 everywhere.
 */
export function marked(value: number, number: number): number {
  if (value === 0) return 0;
  return Math.round(Math.floor(value / 10) * 10_000 + (number % marks) + 1) / 1_000;
}
