// Sends prometheus-adapter's own program and ours the same requests, and reports where they differ:
//   PROM_ADAPTER=/path/to/adapter npm run compare:prometheus-adapter
// Ends with 1 where docs/compatibility.md does not state a difference.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPrometheus, until } from "@plimsoll/testbed";
import { get, startOurs, startTheirs } from "../adapter/adapters.ts";
import { createPki } from "../adapter/pki.ts";
import { createCluster } from "./cluster.ts";
import { compare, type Difference, statedBy } from "./compare.ts";
import { requests } from "./requests.ts";
import { exposition } from "./series.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-compare-"));
const stops: (() => Promise<unknown>)[] = [];

async function differences(theirBinary: string): Promise<readonly Difference[]> {
  const sandbox = createCluster();
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const prometheusUrl = await startScraped();
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, address.kubeconfigFor("compare", ["system:masters"]), { mode: 0o600 });
  const pki = await createPki();
  const rules = join(import.meta.dirname, "rules.yaml");
  const settings = { folder, pki, prometheusUrl, rules, kubeconfig, extraFlags: [] };
  const listed = "http_requests";
  const ours = await startOurs(settings, { listed });
  stops.push(() => ours.stop());
  const theirs = await startTheirs(theirBinary, settings, { listed });
  stops.push(() => theirs.stop());
  const found: Difference[] = [];
  for (const path of requests) {
    const difference = compare(path, await get(ours.port, pki, path), await get(theirs.port, pki, path));
    if (difference !== undefined) found.push(difference);
  }
  return found;
}

/** The address of a Prometheus that has rates of all series. */
async function startScraped(): Promise<string> {
  let scrapes = 0;
  const exporter = createServer((_request, response) => {
    scrapes += 1;
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(exposition(scrapes));
  });
  await new Promise<void>((resolve) => exporter.listen(0, "127.0.0.1", resolve));
  stops.push(async () => exporter.close());
  const prometheus = await startPrometheus({
    binary: process.env["PROMETHEUS"] ?? "prometheus",
    folder: join(folder, "prometheus"),
    target: `127.0.0.1:${(exporter.address() as AddressInfo).port}`,
    scrapeIntervalMs: 1000,
  });
  stops.push(() => prometheus.stop());
  await until("rates", () => (scrapes >= 4 ? true : undefined));
  return prometheus.url;
}

function report(found: readonly Difference[]): void {
  const counts = new Map<string, number>();
  const unstated: Difference[] = [];
  for (const difference of found) {
    const row = statedBy(difference);
    if (row === undefined) unstated.push(difference);
    else counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  console.log(`${requests.length} requests: ${requests.length - found.length} with the same response`);
  for (const [row, count] of counts) console.log(`${String(count).padStart(4)}  ${row}`);
  for (const { path, ours, theirs } of unstated) {
    console.log(
      `not stated: ${path}\n  ours   ${ours.code} ${ours.body}\n  theirs ${theirs.code} ${theirs.body}`,
    );
  }
  process.exitCode = unstated.length === 0 ? 0 : 1;
}

const binary = process.env["PROM_ADAPTER"];
if (binary === undefined) {
  console.error("set PROM_ADAPTER=/path/to/adapter, the program of prometheus-adapter's image");
  process.exitCode = 2;
} else {
  try {
    report(await differences(binary));
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
