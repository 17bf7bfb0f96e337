// Sends prometheus-adapter's own program and ours the same requests, and reports where they differ:
//   PROM_ADAPTER=/path/to/adapter npm run task -- compare
// Ends with 1 where docs/compatibility.md does not state a difference.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPrometheus, until } from "@plimsoll/testbed";
import { get, startOurs, startTheirs } from "../adapter/adapters.ts";
import { createPki, type Pki } from "../adapter/pki.ts";
import { createCluster } from "./cluster.ts";
import { compare, type Difference, statedBy } from "./compare.ts";
import { startHardProxy } from "./hard-proxy.ts";
import { hardRequests, requests } from "./requests.ts";
import { exposition, hardExposition, initScrapes } from "./series.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-compare-"));
const stops: (() => Promise<unknown>)[] = [];

/** What both adapters are started with, and what only ours is. */
interface World {
  readonly name: string;
  readonly prometheusUrl: string;
  readonly rules: string;
  readonly listed: string;
  readonly paths: readonly string[];
  readonly ourFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Cluster {
  readonly kubeconfig: string;
  readonly pki: Pki;
}

async function startCluster(): Promise<Cluster> {
  const sandbox = createCluster();
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, address.kubeconfigFor("compare", ["system:masters"]), { mode: 0o600 });
  return { kubeconfig, pki: await createPki() };
}

async function differences(
  theirBinary: string,
  world: World,
  { kubeconfig, pki }: Cluster,
): Promise<readonly Difference[]> {
  const { name, prometheusUrl, listed, env } = world;
  const own = join(folder, name);
  mkdirSync(own);
  const rules = join(import.meta.dirname, world.rules);
  const settings = { folder: own, pki, prometheusUrl, rules, kubeconfig, extraFlags: [], env };
  const [ours, theirs] = await Promise.all([
    startOurs({ ...settings, extraFlags: world.ourFlags ?? [] }, { listed }),
    startTheirs(theirBinary, settings, { listed }),
  ]);
  stops.push(
    () => ours.stop(),
    () => theirs.stop(),
  );
  const found: Difference[] = [];
  for (const path of world.paths) {
    const difference = compare(path, await get(ours.port, pki, path), await get(theirs.port, pki, path));
    if (difference !== undefined) found.push(difference);
  }
  return found;
}

async function plainWorld(): Promise<World> {
  const binary = process.env["PROMETHEUS"] ?? "prometheus";
  const prometheusUrl = await startScraped({ name: "prometheus", binary, scrapes: 4, text: exposition });
  return { name: "plain", prometheusUrl, rules: "rules.yaml", listed: "http_requests", paths: requests };
}

/** A Prometheus 3 that only a proxy reaches, whose responses are partial and whose lists take long. */
async function hardWorld(binary: string): Promise<World> {
  const text = (scrape: number): string => exposition(scrape) + hardExposition(scrape);
  const scrapes = initScrapes + 3;
  const proxy = await startHardProxy(await startScraped({ name: "prometheus-3", binary, scrapes, text }));
  stops.push(() => proxy.stop());
  const prometheusUrl = "http://prometheus.example:9090";
  const sources = join(folder, "sources.yaml");
  const source = { name: "default", url: prometheusUrl, query: { partialResponse: "allow" } };
  writeFileSync(sources, JSON.stringify({ sources: [source] }));
  return {
    name: "hard",
    prometheusUrl,
    rules: "rules-hard.yaml",
    listed: "messages.waiting",
    paths: hardRequests,
    ourFlags: [`--sources-config=${sources}`],
    env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "127.0.0.1" },
  };
}

interface Scraped {
  readonly name: string;
  readonly binary: string;
  /** How many there are before a query. */
  readonly scrapes: number;
  readonly text: (scrape: number) => string;
}

/** The address of a Prometheus that has rates of all series. */
async function startScraped({ name, binary, scrapes: enough, text }: Scraped): Promise<string> {
  let scrapes = 0;
  const exporter = createServer((_request, response) => {
    scrapes += 1;
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(text(scrapes));
  });
  await new Promise<void>((resolve) => exporter.listen(0, "127.0.0.1", resolve));
  stops.push(async () => exporter.close());
  const prometheus = await startPrometheus({
    binary,
    folder: join(folder, name),
    target: `127.0.0.1:${(exporter.address() as AddressInfo).port}`,
    scrapeIntervalMs: 1000,
  });
  stops.push(() => prometheus.stop());
  await until("rates", () => (scrapes >= enough ? true : undefined));
  return prometheus.url;
}

function report({ name, paths }: World, found: readonly Difference[]): void {
  const counts = new Map<string, number>();
  const unstated: Difference[] = [];
  for (const difference of found) {
    const row = statedBy(difference);
    if (row === undefined) unstated.push(difference);
    else counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  console.log(`${name}: ${paths.length} requests: ${paths.length - found.length} with the same response`);
  for (const [row, count] of counts) console.log(`${String(count).padStart(4)}  ${row}`);
  for (const { path, ours, theirs } of unstated) {
    console.log(
      `not stated: ${path}\n  ours   ${ours.code} ${ours.body}\n  theirs ${theirs.code} ${theirs.body}`,
    );
  }
  if (unstated.length > 0) process.exitCode = 1;
}

async function run(theirBinary: string, binary3: string | undefined): Promise<void> {
  const cluster = await startCluster();
  const worlds = [plainWorld, ...(binary3 === undefined ? [] : [() => hardWorld(binary3)])];
  for (const open of worlds) {
    const world = await open();
    report(world, await differences(theirBinary, world, cluster));
  }
  if (binary3 === undefined)
    console.log(`hard: ${hardRequests.length} requests are left out: Prometheus 3 was not found`);
}

const binary = process.env["PROM_ADAPTER"];
if (binary === undefined) {
  console.error("set PROM_ADAPTER=/path/to/adapter, the program of prometheus-adapter's image");
  process.exitCode = 2;
} else {
  try {
    await run(binary, process.env["PROMETHEUS_3"]);
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
