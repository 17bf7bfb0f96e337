import { join } from "node:path";
import { type Stops, startHelper, startPrometheus } from "@plimsoll/testbed";
import type { Addresses, Wanted } from "./prometheus-side.ts";

/** A real Prometheus behind the process that can make it faulty. */
export interface PrometheusStand {
  /** Where the adapter queries it. */
  readonly url: string;
  /** Where an administrator queries it, past the faults. */
  readonly realUrl: string;
  readonly pid: number;
  change(wanted: Wanted): Promise<void>;
}

/** More than the verdict allows: what passes it ends Prometheus, and not the machine. */
const memoryMb = 2560;

/** A tenant's pods are scraped by themselves, so that what they expose delays no other series. */
const tenantJob = (target: string) => `  - job_name: tenant
    honor_labels: true
    metrics_path: /tenant
    scrape_interval: 1s
    scrape_timeout: 1s
    static_configs:
      - targets: ["${target}"]
`;

export async function startPrometheusStand(
  binary: string,
  folder: string,
  stops: Stops,
): Promise<PrometheusStand> {
  const side = await startHelper(new URL("./prometheus-side.ts", import.meta.url));
  stops.push(() => side.stop());
  const { target } = await side.request<Addresses>({});
  const real = await startPrometheus({
    binary,
    folder: join(folder, "prometheus"),
    target,
    scrapeConfigs: tenantJob(target),
    scrapeIntervalMs: 500,
    memoryMb,
  });
  stops.push(() => real.stop());
  const { url } = await side.request<Addresses>({ upstream: real.url } satisfies Wanted);
  return {
    url,
    realUrl: real.url,
    pid: real.pid,
    async change(wanted) {
      await side.request(wanted);
    },
  };
}
