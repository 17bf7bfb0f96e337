// Measures whether our own metrics are slower while a federated backend swallows packets, in one run:
//   npm run bench -- federation [--rounds 12 --turn-ms 4000]
import { Agent, get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { parseArgs } from "node:util";
import { type AdapterProcess, startOurs } from "./adapters.ts";
import { mixedPaths } from "./fleet.ts";
import { measure, median } from "./measure.ts";
import { type OpenBench, withBench } from "./open-bench.ts";
import type { Pki } from "./pki.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "12" }, "turn-ms": { type: "string", default: "4000" } },
});
const rounds = Number(values.rounds);
const turnMs = Number(values["turn-ms"]);

/** Of own metrics, a second: what 1,000 autoscalers request. */
const rate = 67;
/** Requests a second for metrics of the backend: as many as may be in flight to it are so within a second. */
const lostRate = 32;
const goal = 1.1;

/** Accepts connections and never responds. */
async function swallow({ stops }: OpenBench): Promise<number> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  stops.push(async () => server.close());
  return (server.address() as AddressInfo).port;
}

/**
 * Requests for the metric of the backend while the others are measured. Without the backend they are 404: both sides have the same
 * connections, requests and reviews. @returns what ends them
 */
function requestLost({ port }: AdapterProcess, { ca, frontProxy }: Pki): () => void {
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

async function run(bench: OpenBench): Promise<void> {
  const { settings, stops, file, pki } = bench;
  const backends = `backends: [{name: silent, url: "https://127.0.0.1:${await swallow(bench)}", tokenFile: ${file("token", "t")},
    groups: [external.metrics.k8s.io], match: {metrics: [lost]}}]`;
  const without = await startOurs(settings);
  stops.push(() => without.stop());
  const beside = await startOurs({
    ...settings,
    extraFlags: [`--federation-config=${file("backends.yaml", backends)}`],
  });
  stops.push(() => beside.stop());
  const own = { paths: mixedPaths, connections: 64, rate, durationMs: turnMs };
  for (const adapter of [without, beside])
    await measure(bench, adapter, { ...own, rate: 250, durationMs: (mixedPaths.length / 250) * 1000 });

  const turn = async (adapter: AdapterProcess): Promise<Turn> => {
    const stop = requestLost(adapter, pki);
    const { p50Ms, p99Ms, cpuMicros } = await measure(bench, adapter, own);
    stop();
    return { p50Ms, p99Ms, cpuMicros };
  };
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // What the machine does besides grows and falls: neither side is always the first.
    const isFirst = round % 2 === 0;
    const first = await turn(isFirst ? without : beside);
    const second = await turn(isFirst ? beside : without);
    const result = isFirst ? { without: first, beside: second } : { without: second, beside: first };
    results.push(result);
    console.log(
      `round ${round + 1}: p99 ${result.without.p99Ms.toFixed(2)} ms without, ${result.beside.p99Ms.toFixed(2)} ms beside a backend that swallows packets`,
    );
  }
  const ratio = report(results, "p99Ms", "p99, ms");
  report(results, "p50Ms", "p50, ms");
  // It hardly depends on what else the machine does.
  report(results, "cpuMicros", "CPU for each own request, µs");
  if (ratio > goal) process.exitCode = 1;
}

interface Turn {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
}

interface Round {
  readonly without: Turn;
  readonly beside: Turn;
}

/** @returns the median of the ratios of the rounds */
function report(results: readonly Round[], key: keyof Turn, name: string): number {
  const of = (which: keyof Round) => median(results.map((one) => one[which][key])).toFixed(2);
  const ratios = results.map(({ without, beside }) => beside[key] / without[key]).toSorted((a, b) => a - b);
  const ratio = median(ratios);
  const quarter = (share: number) => (ratios[Math.round((ratios.length - 1) * share)] ?? NaN).toFixed(2);
  console.log(
    `${name}: median ${of("without")} without, ${of("beside")} beside it; ratio ${ratio.toFixed(3)}, its middle half ${quarter(0.25)} to ${quarter(0.75)}, all ${quarter(0)} to ${quarter(1)}${key === "p99Ms" ? ` (goal: ${goal})` : ""}`,
  );
  return ratio;
}

await withBench("federation", run);
process.exit();
