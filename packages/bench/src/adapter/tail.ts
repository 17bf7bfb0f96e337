// Measures the slowest requests of the adapter's mixed load beside those of a bare server, in turns within one run:
//   npm run bench -- tail [-- --rounds 8 --turn-ms 15000 --rates 67,400,667 --before BUNDLE --profile FOLDER --json FILE]
//   PROM_ADAPTER=/path/to/adapter npm run bench -- tail      puts prometheus-adapter into the turns
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cores, startHelper, until } from "@plimsoll/testbed";
import { type AdapterProcess, get, startOurs, startTheirs } from "./adapters.ts";
import { mixedPaths } from "./fleet.ts";
import type { FloorAddress } from "./floor.ts";
import { type LoopDelay, loopDelay, type Measured, measure, median } from "./measure.ts";
import { type OpenBench, withBench } from "./open-bench.ts";
import type { KeyPair } from "./pki.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "8" },
    "turn-ms": { type: "string", default: "15000" },
    rates: { type: "string", default: "67,400,667" },
    /** The program of another image of ours. */
    before: { type: "string" },
    profile: { type: "string" },
    json: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const turnMs = Number(values["turn-ms"]);
const rates = values.rates.split(",").map(Number);
/** prometheus-adapter fails requests of the mix at higher rates. */
const maxRateOfTheirs = 200;
/** The goal, as a multiple of the bare server's. */
const goal = 1.5;

interface Contender {
  readonly name: string;
  readonly server: { readonly pid: number; readonly port: number };
  readonly paths: readonly string[];
  readonly maxRate: number;
  readonly loop?: () => Promise<LoopDelay>;
}

interface Turn {
  readonly measured: Measured;
  readonly loop: LoopDelay | undefined;
}

interface TailRow {
  readonly rate: number;
  readonly server: string;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Of all turns together against the bare server's. */
  readonly p99ToFloor: number;
  /** The median of the ratios within the rounds. */
  readonly p99ToFloorInRounds: number;
  readonly cpuMicros: number;
  readonly queriesPer1000: number;
  readonly loopP99Ms: number | undefined;
  readonly loopMaxMs: number | undefined;
  readonly failed: number;
}

/** Requests of one kind have responses of one length, whichever workload they are about. */
function kindOf(path: string): string {
  return encodeURIComponent(path.replaceAll(/(team|app)-\d+/g, "$1"));
}

/** A server that does nothing but send the same bytes. */
async function startFloor(bench: OpenBench, adapter: AdapterProcess): Promise<Contender> {
  const bodies: Record<string, string> = {};
  for (const [kind, [path = ""]] of Map.groupBy(mixedPaths, kindOf)) {
    // The adapter may still be listing pods.
    bodies[kind] = await until(path, async () => {
      const { code, body } = await get(adapter.port, bench.pki, path);
      return code === 200 ? body : undefined;
    });
  }
  const floor = await startHelper(new URL("./floor.ts", import.meta.url), cores.tested);
  bench.stops.push(floor.stop);
  const { port } = await floor.request<FloorAddress>({ ...bench.pki.server, bodies });
  const paths = mixedPaths.map((path) => `/prebuilt/${kindOf(path)}`);
  return { name: "floor", server: { pid: floor.pid, port }, paths, maxRate: Number.POSITIVE_INFINITY };
}

async function startContenders(bench: OpenBench): Promise<readonly Contender[]> {
  const settings = { ...bench.settings, relistInterval: "10s" };
  const ours = await startOurs(settings, { profileFolder: values.profile });
  bench.stops.push(() => ours.stop());
  const contender = (name: string, server: AdapterProcess): Contender => ({
    name,
    server,
    paths: mixedPaths,
    maxRate: Number.POSITIVE_INFINITY,
    loop: () => loopDelay(bench, server),
  });
  const found = [await startFloor(bench, ours), contender("ours", ours)];
  if (values.before !== undefined) {
    const before = await startOurs(settings, { program: values.before });
    bench.stops.push(() => before.stop());
    found.push(contender("before", before));
  }
  const binary = process.env["PROM_ADAPTER"];
  if (binary !== undefined) {
    const theirs = await startTheirs(binary, settings);
    bench.stops.push(() => theirs.stop());
    const { loop: _, ...rest } = contender("prometheus-adapter", theirs);
    found.push({ ...rest, maxRate: maxRateOfTheirs });
  }
  return found;
}

/** Every round has another serving certificate, and each turn a relist. */
function rotate(folder: string, { cert, key }: KeyPair): void {
  writeFileSync(join(folder, "serving.crt"), cert, { mode: 0o600 });
  writeFileSync(join(folder, "serving.key"), key, { mode: 0o600 });
}

async function takeTurn(bench: OpenBench, { server, paths, loop }: Contender, rate: number): Promise<Turn> {
  const load = { paths, connections: 64, rate };
  // The clients' last turn was another rate, or long ago: what they have cached and expect of each other is made first.
  await measure(bench, server, { ...load, durationMs: turnMs / 5 });
  await loop?.();
  const measured = await measure(bench, server, { ...load, durationMs: turnMs, isWhole: true });
  return { measured, loop: await loop?.() };
}

async function run(bench: OpenBench): Promise<readonly TailRow[]> {
  const contenders = await startContenders(bench);
  for (const { server, paths, maxRate } of contenders)
    await measure(bench, server, { paths, connections: 64, rate: Math.min(250, maxRate), durationMs: 4_000 });
  const rows: TailRow[] = [];
  for (const rate of rates) {
    const turns = new Map<string, Turn[]>();
    const able = contenders.filter(({ maxRate }) => rate <= maxRate);
    for (let round = 0; round < rounds; round += 1) {
      rotate(bench.folder, round % 2 === 0 ? bench.pki.renewed : bench.pki.server);
      for (const one of round % 2 === 0 ? able : able.toReversed()) {
        turns.set(one.name, [...(turns.get(one.name) ?? []), await takeTurn(bench, one, rate)]);
      }
    }
    const measured = able.map(({ name }) => rowOf(rate, name, turns));
    show(measured);
    rows.push(...measured);
  }
  return rows;
}

function show(rows: readonly TailRow[]): void {
  const rounded = (value: unknown): unknown =>
    typeof value === "number" ? Number(value.toPrecision(3)) : value;
  console.table(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value)]))),
  );
  for (const { rate, p99ToFloor } of rows.filter(({ server }) => server === "ours")) {
    const outcome = p99ToFloor <= goal ? "met" : "MISSED";
    console.log(
      `G6 p99 at ${rate}/s: ${p99ToFloor.toFixed(2)} x the bare server's, goal ${goal}: ${outcome}`,
    );
  }
}

function rowOf(rate: number, server: string, turns: ReadonlyMap<string, readonly Turn[]>): TailRow {
  const own = turns.get(server) ?? [];
  const floor = turns.get("floor") ?? [];
  const all = latenciesOf(own);
  const sum = (read: (turn: Turn) => number): number => own.reduce((total, turn) => total + read(turn), 0);
  const p99 = quantile(all, 0.99);
  const loops = own.flatMap(({ loop }) => loop ?? []);
  return {
    rate,
    server,
    requests: all.length,
    p50Ms: quantile(all, 0.5),
    p99Ms: p99,
    p999Ms: quantile(all, 0.999),
    maxMs: quantile(all, 1),
    p99ToFloor: p99 / quantile(latenciesOf(floor), 0.99),
    p99ToFloorInRounds: median(
      own.map(({ measured }, at) => measured.p99Ms / (floor[at]?.measured.p99Ms ?? Number.NaN)),
    ),
    cpuMicros: sum(({ measured }) => measured.cpuMicros * measured.requests) / all.length,
    queriesPer1000: sum(({ measured }) => measured.queriesPer1000) / own.length,
    loopP99Ms: loops.length === 0 ? undefined : median(loops.map(({ p99Ms }) => p99Ms)),
    loopMaxMs: loops.length === 0 ? undefined : Math.max(...loops.map(({ maxMs }) => maxMs)),
    failed: sum(({ measured }) => measured.failures),
  };
}

function latenciesOf(turns: readonly Turn[]): readonly number[] {
  return turns.flatMap(({ measured }) => measured.latenciesMs).toSorted((a, b) => a - b);
}

function quantile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? Number.NaN;
}

await withBench("tail", async (bench) => {
  if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true });
  const rows = await run(bench);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, undefined, 2)}\n`);
});
process.exit();
