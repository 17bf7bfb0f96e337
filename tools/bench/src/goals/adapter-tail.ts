// The mix of 1,000 autoscalers, at up to ten times their rate, in an open loop: a bare server and the adapter by turns, then
// prometheus-adapter. The adapters relist every two seconds, and their certificate changes in every turn that is measured.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cores, startHelper } from "@plimsoll/testbed";
import { type AdapterSettings, get, startOurs, startTheirs } from "../adapter/adapters.ts";
import { mixedPaths } from "../adapter/fleet.ts";
import type { FloorAddress } from "../adapter/floor.ts";
import { type Measured, measure } from "../adapter/measure.ts";
import { type OpenBench, withBench } from "../adapter/open-bench.ts";
import { servedBody } from "../adapter/served.ts";

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    rounds: { type: "string", default: "3" },
    "turn-ms": { type: "string", default: "10500" },
  },
});
const rates = [67, 400, 667];
const firstMs = 1500;
/** The adapter looks for another certificate every 10 s. */
const measuredMs = Number(values["turn-ms"]);

type ServerName = "floor" | "ours" | "theirs";

interface Server {
  readonly pid: number;
  readonly port: number;
  readonly paths: readonly string[];
}

export interface TailRun {
  readonly rate: number;
  readonly round: number;
  readonly server: ServerName;
  /** The beginning: the last turn of its clients was long ago, and at another rate. */
  readonly first: Measured;
  /** Once what they have cached and expect of each other is made. */
  readonly measured: Measured;
}

/** Of our adapter, in all turns. */
interface Counted {
  readonly relists: number;
  /** Of its files; only the certificate's change. */
  readonly reloads: number;
  readonly collections: number;
}

export interface TailResult extends Counted {
  readonly runs: readonly TailRun[];
}

async function startFloor(bench: OpenBench, ours: { readonly port: number }): Promise<Server> {
  const bodies = new Map<string, string>();
  for (const [index, path] of mixedPaths.entries()) {
    bodies.set(String(index), await servedBody(ours.port, bench.pki, path));
  }
  const floor = await startHelper(new URL("../adapter/floor.ts", import.meta.url), cores.tested);
  bench.stops.push(floor.stop);
  const setup = { ...bench.pki.server, bodies: Object.fromEntries(bodies) };
  const { port } = await floor.request<FloorAddress>(setup);
  return { pid: floor.pid, port, paths: [...bodies.keys()].map((name) => `/prebuilt/${name}`) };
}

async function run(bench: OpenBench): Promise<TailResult> {
  execFileSync("taskset", ["-a", "-c", "-p", String(cores.rest), String(process.pid)], { stdio: "ignore" });
  const settings = { ...bench.settings, extraFlags: ["--metrics-relist-interval=2s"] };
  const started = await startOurs(settings);
  bench.stops.push(() => started.stop());
  const ours = { pid: started.pid, port: started.port, paths: mixedPaths };
  // Both pairs are of the authority that the driver trusts.
  const pairs = [bench.pki.server, bench.pki.renewed];
  let rotations = 0;
  const rotate = (): void => {
    const pair = pairs[++rotations % pairs.length];
    writeFileSync(join(bench.folder, "serving.key"), pair?.key ?? "");
    writeFileSync(join(bench.folder, "serving.crt"), pair?.cert ?? "");
  };
  const counted = async (): Promise<Counted> => {
    const { body } = await get(ours.port, bench.pki, "/metrics");
    return {
      relists: sumOf(body, "plimsoll_adapter_relists_total"),
      reloads: sumOf(body, "plimsoll_adapter_reloads_total"),
      collections: sumOf(body, "nodejs_gc_duration_seconds_count"),
    };
  };
  const servers = { floor: await startFloor(bench, ours), ours };
  // Every client is reviewed once; this is kube-apiserver's cost, and is cached for minutes.
  for (const server of Object.values(servers)) await turn(bench, server, 250, 4000);
  const before = await counted();
  const runs: TailRun[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const rate of rates) {
      const floor = await whilePaused(ours.pid, () => measureTurn(bench, servers.floor, rate));
      runs.push({ rate, round, server: "floor", ...floor });
      runs.push({ rate, round, server: "ours", ...(await measureTurn(bench, ours, rate, rotate)) });
    }
  }
  const after = await counted();
  await started.stop();
  const theirs = await measureTheirs(bench, settings, rotate);
  return {
    runs: [...runs, ...theirs],
    relists: after.relists - before.relists,
    reloads: after.reloads - before.reloads,
    collections: after.collections - before.collections,
  };
}

/** After the others, and once: with a relist every two seconds it would hold up those that share its core. */
async function measureTheirs(
  bench: OpenBench,
  settings: AdapterSettings,
  rotate: () => void,
): Promise<readonly TailRun[]> {
  const binary = process.env["PROM_ADAPTER"];
  if (binary === undefined) return [];
  const started = await startTheirs(binary, settings);
  bench.stops.push(() => started.stop());
  const server = { pid: started.pid, port: started.port, paths: mixedPaths };
  await turn(bench, server, 250, 4000);
  const runs: TailRun[] = [];
  for (const rate of rates)
    runs.push({ rate, round: 0, server: "theirs", ...(await measureTurn(bench, server, rate, rotate)) });
  return runs;
}

/** The process is stopped meanwhile, because it shares its core. Before this resolves it does what had to wait, such as a relist. */
async function whilePaused<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    process.kill(pid, "SIGCONT");
    await sleep(2_500);
  }
}

async function measureTurn(
  bench: OpenBench,
  server: Server,
  rate: number,
  rotate: () => void = () => {},
): Promise<Pick<TailRun, "first" | "measured">> {
  // Until each of the autoscalers has requested once.
  const periodMs = (1000 * server.paths.length) / rate;
  const first = await turn(bench, server, rate, firstMs);
  await turn(bench, server, rate, periodMs);
  rotate();
  return { first, measured: await turn(bench, server, rate, Math.max(measuredMs, periodMs)) };
}

function turn(bench: OpenBench, server: Server, rate: number, durationMs: number): Promise<Measured> {
  return measure(bench, server, { paths: server.paths, connections: 64, rate, durationMs });
}

function sumOf(page: string, name: string): number {
  const lines = [...page.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))];
  return lines.reduce((sum, [, value]) => sum + Number(value), 0);
}

await withBench("tail", async (bench) => {
  const result = await run(bench);
  if (values.json === undefined) console.log(JSON.stringify(result, undefined, 2));
  else writeFileSync(values.json, JSON.stringify(result));
});
process.exit();
