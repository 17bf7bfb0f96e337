// What every measurement of the adapter begins with: a cluster, a Prometheus that responds at once, a driver, certificates.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cores, startHelper } from "@plimsoll/testbed";
import type { AdapterSettings } from "./adapters.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { FakePrometheusCounts } from "./fake-prometheus.ts";
import { rules } from "./fleet.ts";
import type { Bench } from "./measure.ts";
import { createPki } from "./pki.ts";

/** Until it is closed; `stops` run then, the last one first. */
export interface OpenBench extends Bench {
  readonly folder: string;
  readonly cluster: Cluster;
  readonly settings: AdapterSettings;
  readonly stops: (() => Promise<unknown>)[];
  counts(): Promise<FakePrometheusCounts>;
  /** Writes into the folder. @returns the path */
  file(name: string, text: string): string;
}

/** Opens what a measurement needs, runs it, and closes everything, whatever happens. */
export async function withBench(name: string, run: (bench: OpenBench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `plimsoll-bench-${name}-`));
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  // Whoever ends this program does not know of the processes that it has started.
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void close().finally(() => process.exit(1)));
  try {
    await run(await open(folder, stops));
  } finally {
    await close();
  }
}

async function open(folder: string, stops: OpenBench["stops"]): Promise<OpenBench> {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const pki = await createPki();
  const cluster = await startCluster();
  stops.push(cluster.stop);
  const fake = await startHelper(new URL("./fake-prometheus.ts", import.meta.url), cores.rest);
  stops.push(fake.stop);
  const driver = await startHelper(new URL("./driver.ts", import.meta.url), cores.rest);
  stops.push(driver.stop);
  const counts = () => fake.request<FakePrometheusCounts>({});
  const settings: AdapterSettings = {
    folder,
    pki,
    prometheusUrl: (await counts()).url,
    rules: file("rules.yaml", rules),
    kubeconfig: file("kubeconfig", cluster.address.kubeconfigFor("bench", ["system:masters"])),
    extraFlags: [],
  };
  const queries = async () => (await counts()).queries;
  return { folder, stops, pki, cluster, driver, counts, settings, queries, file };
}
