// Measures whether our own metrics are slower while a federated backend swallows packets, in one run:
//   npm run bench:federation
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cores, startHelper } from "@plimsoll/testbed";
import { type AdapterProcess, type AdapterSettings, startOurs } from "./adapters.ts";
import { startCluster } from "./cluster.ts";
import type { FakePrometheusCounts } from "./fake-prometheus.ts";
import { mixedPaths, rules } from "./fleet.ts";
import { type Bench, measure, median } from "./measure.ts";
import { createPki, type Pki } from "./pki.ts";

const rounds = 9;
/** Of own metrics, a second: what 1,000 autoscalers request. */
const rate = 67;
const turnMs = 4_000;
/** Requests a second for metrics of the backend: as many as may be in flight to it are so within a second. */
const lostRate = 32;

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-federation-"));
const stops: (() => Promise<unknown>)[] = [];

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Accepts connections and never responds. */
async function swallow(): Promise<number> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  stops.push(async () => server.close());
  return (server.address() as AddressInfo).port;
}

/** Requests to the backend while the other requests are measured. @returns what ends them */
function loseRequests({ port }: AdapterProcess, { ca, frontProxy }: Pki): () => void {
  const { cert, key } = frontProxy;
  const agent = new Agent({ keepAlive: true, ca, cert, key, servername: "localhost" });
  const headers = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" };
  const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/lost";
  const timer = setInterval(() => {
    get({ host: "127.0.0.1", port, path, agent, headers }, (response) => response.resume()).on(
      "error",
      () => {},
    );
  }, 1000 / lostRate);
  return () => {
    clearInterval(timer);
    agent.destroy();
  };
}

async function run(): Promise<void> {
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
  const backends = `backends: [{name: silent, url: "https://127.0.0.1:${await swallow()}", tokenFile: ${file("token", "t")},
    groups: [external.metrics.k8s.io], match: {metrics: [lost]}}]`;
  const plain = await startOurs(settings);
  stops.push(() => plain.stop());
  const federated = await startOurs({
    ...settings,
    extraFlags: [`--federation-config=${file("backends.yaml", backends)}`],
  });
  stops.push(() => federated.stop());
  const bench: Bench = { driver, pki, queries: async () => (await counts()).queries };
  const own = { paths: mixedPaths, connections: 64, rate, durationMs: turnMs };
  for (const adapter of [plain, federated])
    await measure(bench, adapter, { ...own, rate: 250, durationMs: (mixedPaths.length / 250) * 1000 });

  const results: { readonly without: number; readonly beside: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const without = await measure(bench, plain, own);
    const stopLosing = loseRequests(federated, pki);
    const beside = await measure(bench, federated, own);
    stopLosing();
    results.push({ without: without.p99Ms, beside: beside.p99Ms });
    console.log(
      `round ${round + 1}: p99 ${without.p99Ms.toFixed(2)} ms without, ${beside.p99Ms.toFixed(2)} ms beside a backend that swallows packets`,
    );
  }
  const ratio = median(results.map(({ without, beside }) => beside / without));
  const of = (which: "without" | "beside") => median(results.map((one) => one[which])).toFixed(2);
  console.log(
    `median p99: ${of("without")} ms without, ${of("beside")} ms beside it; ratio ${ratio.toFixed(3)} (goal: 1.1)`,
  );
  if (ratio > 1.1) process.exitCode = 1;
}

try {
  await run();
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
}
