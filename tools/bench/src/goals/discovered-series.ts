// What a discovered series costs an adapter: two processes with the same rules over few and over many series of a real Prometheus.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSandbox } from "@plimsoll/sandbox";
import {
  cores,
  prometheusProgram,
  type Stops,
  startHelper,
  startPrometheus,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { type AdapterProcess, type AdapterSettings, startOurs, startTheirs } from "../adapter/adapters.ts";
import { createPki } from "../adapter/pki.ts";
import { residentMiB } from "./fleet.ts";
import type { Session } from "./session.ts";

export interface SeriesCost {
  readonly series: number;
  /** Bytes of RSS for each further series. */
  readonly ours: number;
  readonly theirs: number | undefined;
}

const few = 1000;
const allSeries = 300_000;
const relistSeconds = 5;
const relists = 5;

/** A rule over one of the exporter's two metrics. */
function rulesOver(metric: string): string {
  return `rules:
  - seriesQuery: '${metric}{namespace!="",pod!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
        pod: { resource: pod }
    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)
`;
}

export function measureSeries(session: Session): Promise<SeriesCost> {
  return session.once("series", async () => {
    const many = Math.max(2 * few, session.objects(allSeries));
    const stops: Stops = [];
    const stop = () => stopAll(stops);
    session.stops.push(stop);
    try {
      const settings = await openSettings(session, stops, many);
      const binary = process.env["PROM_ADAPTER"];
      const ours = await bytesEach(settings, many, startOurs);
      const theirs =
        binary === undefined
          ? undefined
          : await bytesEach(settings, many, (own, options) => startTheirs(binary, own, options));
      session.progress("discovered series have been measured");
      return { series: many, ours, theirs };
    } finally {
      await stop();
    }
  });
}

async function openSettings(session: Session, stops: Stops, many: number): Promise<AdapterSettings> {
  const sandbox = createSandbox({ workloads: false });
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const kubeconfig = join(session.folder, "series-kubeconfig");
  writeFileSync(kubeconfig, address.kubeconfigFor("bench", ["system:masters"]), { mode: 0o600 });
  const exporter = await startHelper(new URL("./series-exporter.ts", import.meta.url), cores.rest);
  stops.push(exporter.stop);
  const { target } = await exporter.request<{ target: string }>({ few, many });
  const prometheus = await startPrometheus({
    binary: prometheusProgram(),
    folder: join(session.folder, "series-prometheus"),
    target,
    scrapeIntervalMs: 20_000,
  });
  stops.push(() => prometheus.stop());
  await until("the series to be scraped", async () => {
    const response = await fetch(`${prometheus.url}/api/v1/query?query=count(many_series)`);
    const { data } = (await response.json()) as { data: { result: readonly { value: [number, string] }[] } };
    return Number(data.result[0]?.value[1]) === many ? true : undefined;
  });
  const pki = await createPki();
  // The window is longer than the interval of the scrapes: series would come and go otherwise.
  const extraFlags = [`--metrics-relist-interval=${relistSeconds}s`, "--metrics-max-age=60s"];
  return { folder: session.folder, pki, prometheusUrl: prometheus.url, rules: "", kubeconfig, extraFlags };
}

type Start = (settings: AdapterSettings, options: { readonly listed: string }) => Promise<AdapterProcess>;

async function bytesEach(settings: AdapterSettings, many: number, start: Start): Promise<number> {
  const resident = async (metric: string): Promise<number> => {
    const rules = join(settings.folder, `${metric}.yaml`);
    writeFileSync(rules, rulesOver(metric));
    const adapter = await start({ ...settings, rules }, { listed: metric });
    await sleep(relists * relistSeconds * 1000);
    const mebibytes = residentMiB(adapter.pid);
    await adapter.stop();
    return mebibytes;
  };
  const [small, large] = [await resident("few_series"), await resident("many_series")];
  return ((large - small) * 2 ** 20) / (many - few);
}
