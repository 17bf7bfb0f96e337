// Measures what a request costs the adapter, beside a bare HTTPS server, in one run:
//   npm run task -- bench-adapter [--json FILE --only NAME --no-real --profile FOLDER --result-max-age 5s]
//   npm run task -- bench-adapter --before BUNDLE                 puts another version of ours beside it
//   PROM_ADAPTER=/path/to/adapter npm run task -- bench-adapter      puts prometheus-adapter beside it
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cores, startHelper, startPrometheus } from "@plimsoll/testbed";
import { type AdapterProcess, type AdapterSettings, startOurs, startTheirs } from "./adapters.ts";
import { cases, measureCases, type OurPair } from "./cases.ts";
import { type Bench, median } from "./measure.ts";
import { measureMixed, measureSync } from "./mixed.ts";
import { type OpenBench, withBench } from "./open-bench.ts";
import { measureReal, type RealResult } from "./real.ts";
import { type BenchResult, goals, printReport } from "./report.ts";
import { memory } from "./usage.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string" },
    "no-real": { type: "boolean", default: false },
    "no-mixed": { type: "boolean", default: false },
    profile: { type: "string" },
    /** The program of another image of ours. */
    before: { type: "string" },
    /** Data age that the adapter may serve from its cache; the default is the adapter's own. */
    "result-max-age": { type: "string" },
    rounds: { type: "string", default: "9" },
    "turn-ms": { type: "string", default: "300" },
  },
});

/** Of --metrics-result-max-age. */
const defaultMaxAge = "5s";
const startedMs = performance.now();

function pin(pid: number): void {
  try {
    execFileSync("taskset", ["-a", "-c", "-p", String(cores.rest), String(pid)], { stdio: "ignore" });
  } catch {
    console.log("processes are not confined to cores here, so figures vary more");
  }
}

function progress(what: string): void {
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${what}`);
}

async function runBench(bench: OpenBench): Promise<BenchResult> {
  pin(process.pid);
  const { settings, stops, counts } = bench;
  progress("the cluster is up");

  const maxAge = options["result-max-age"];
  const ourSettings = {
    ...settings,
    extraFlags: maxAge === undefined ? [] : [`--metrics-result-max-age=${maxAge}`],
  };

  const bytesBefore = (await counts()).metadataBytes;
  if (options.profile !== undefined) mkdirSync(options.profile, { recursive: true });
  const cached = await startOurs(ourSettings, { profileFolder: options.profile });
  stops.push(() => cached.stop());
  const relistBytes = (await counts()).metadataBytes - bytesBefore;
  const uncached = await startUncached(bench, {});
  const before =
    options.before === undefined ? undefined : await startBefore(bench, ourSettings, options.before);
  const binary = process.env["PROM_ADAPTER"];
  const theirs = binary === undefined ? undefined : await startTheirs(binary, settings);
  if (theirs !== undefined) stops.push(() => theirs.stop());
  progress("the adapters have listed their metrics");

  const chosen = cases.filter(({ name }) => name.includes(options.only ?? ""));
  const { cases: caseResults, floorMix } = await measureCases(bench, chosen, {
    cached,
    uncached,
    before,
    theirs,
    rounds: Number(options.rounds),
    turnMs: Number(options["turn-ms"]),
  });
  progress("each kind of request has been measured");
  const mixes = options["no-mixed"] ? noMixes : await measureMixes(bench, cached, theirs);
  progress("the mix has been measured");
  const real = options["no-real"] ? undefined : await runReal(bench, ourSettings);
  return {
    cases: caseResults,
    floorMix,
    ...mixes,
    relist: { bytes: relistBytes, cheapestBytes: cheapestRelist },
    real,
    memory: memory(cached.pid),
    driverHeadroom: median(caseResults.map(({ headroom }) => headroom)),
  };
}

async function startUncached(
  { settings, stops }: OpenBench,
  how: { readonly program?: string },
): Promise<AdapterProcess> {
  const uncached = await startOurs({ ...settings, extraFlags: ["--metrics-result-max-age=0s"] }, how);
  stops.push(() => uncached.stop());
  return uncached;
}

async function startBefore(bench: OpenBench, settings: AdapterSettings, program: string): Promise<OurPair> {
  const cached = await startOurs(settings, { program });
  bench.stops.push(() => cached.stop());
  return { cached, uncached: await startUncached(bench, { program }) };
}

type Mixes = Pick<BenchResult, "mixed" | "sync" | "theirMixed">;

const noMixes: Mixes = { mixed: [], sync: undefined, theirMixed: [] };

async function measureMixes(
  bench: Bench,
  ours: AdapterProcess,
  theirs: AdapterProcess | undefined,
): Promise<Mixes> {
  const rates = [67, 200, 400, 667, 1000, 2000];
  const stepMs = 4000;
  const maxAge = options["result-max-age"] ?? defaultMaxAge;
  return {
    mixed: await measureMixed(bench, ours, { rates, stepMs }),
    sync: await measureSync(bench, ours, seconds(maxAge) * 1000),
    theirMixed:
      theirs === undefined ? [] : await measureMixed(bench, theirs, { rates: rates.slice(0, 3), stepMs }),
  };
}

/** One list of names for each of the two rules with series. */
const cheapestRelist =
  JSON.stringify({ status: "success", data: ["http_requests_total"] }).length +
  JSON.stringify({ status: "success", data: ["queue_depth"] }).length;

async function runReal(bench: OpenBench, settings: AdapterSettings): Promise<RealResult | undefined> {
  const binary = process.env["PROMETHEUS"];
  if (binary === undefined) {
    console.log("no Prometheus: set $PROMETHEUS to its program");
    return undefined;
  }
  const { stops, folder } = bench;
  const exporter = await startHelper(new URL("./exporter.ts", import.meta.url), cores.rest);
  stops.push(exporter.stop);
  const { target } = await exporter.request<{ target: string }>({});
  const prometheus = await startPrometheus({
    binary,
    folder: join(folder, "prometheus"),
    target,
    scrapeIntervalMs: 5000,
  });
  stops.push(() => prometheus.stop());
  pin(prometheus.pid);
  // Rates need two samples.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  const queries = async () => await queryCount(prometheus.url);
  const result = await measureReal({ ...bench, queries }, { prometheus, settings, rounds: 3 });
  progress("the real Prometheus has been measured");
  return result;
}

async function queryCount(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const lines = page.matchAll(
    /^prometheus_http_requests_total\{[^}]*handler="\/api\/v1\/query"[^}]*\} (\S+)$/gm,
  );
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

function seconds(duration: string): number {
  const match = /^(\d+(?:\.\d+)?)s$/.exec(duration);
  if (match === null) throw new Error("--result-max-age takes whole or broken seconds, such as 2.5s");
  return Number(match[1]);
}

await withBench("adapter", async (bench) => {
  const result = await runBench(bench);
  printReport(result);
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ ...result, goals: goals(result) }, undefined, 2)}\n`);
  }
  progress("done");
});
process.exit();
