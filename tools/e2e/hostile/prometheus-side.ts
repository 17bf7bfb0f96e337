// What Prometheus scrapes and what stands before it, in a process of its own: a busy API server delays neither.
import { serveParent } from "@plimsoll/testbed";
import type { PrometheusFault } from "./attack.ts";
import { type Series, startExposition } from "./exposition.ts";
import { type FaultyPrometheus, startFaultyPrometheus } from "./faulty-prometheus.ts";
import { victimSeries } from "./victim.ts";

export interface Wanted {
  /** The real Prometheus, once it runs. */
  readonly upstream?: string;
  /** All series of the tenant from now on. */
  readonly series?: readonly Series[];
  /** All faults from now on. */
  readonly faults?: readonly (readonly [metric: string, fault: PrometheusFault])[];
}

export interface Addresses {
  /** What to scrape. */
  readonly target: string;
  /** What to query; "" before there is an upstream. */
  readonly url: string;
}

const exposition = await startExposition(victimSeries);
let prometheus: FaultyPrometheus | undefined;

serveParent(async ({ upstream, series, faults }: Wanted): Promise<Addresses> => {
  if (upstream !== undefined) prometheus = await startFaultyPrometheus(upstream);
  if (series !== undefined) exposition.set(series);
  if (faults !== undefined) prometheus?.spoil(faults);
  return { target: exposition.target, url: prometheus?.url ?? "" };
});
