// Requests to the adapter and to a bare server by turns of so many requests: a turn of so much time would be too short on a busy
// machine. A program of its own, because it confines itself to a core.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { cores, startHelper } from "@plimsoll/testbed";
import { startOurs } from "../adapter/adapters.ts";
import { type Case, cases } from "../adapter/cases.ts";
import type { Load } from "../adapter/driver.ts";
import type { FloorAddress } from "../adapter/floor.ts";
import { measure } from "../adapter/measure.ts";
import { type OpenBench, withBench } from "../adapter/open-bench.ts";
import { servedBody } from "../adapter/served.ts";

/** CPU of the server in µs for each request, of the cheapest turn: what else the machine does only ever adds. */
export interface RequestCost {
  readonly name: string;
  readonly floor: number;
  readonly warm: number;
  readonly cold: number;
}

const { values } = parseArgs({ options: { json: { type: "string" } } });
const rounds = 8;
const turnRequests = 200;
const turnLimitMs = 10_000;
/** Before the first turn: the machine code has to settle. */
const warmUpRequests = 1000;

interface Server {
  readonly pid: number;
  readonly port: number;
}

async function measureAll(bench: OpenBench): Promise<readonly RequestCost[]> {
  execFileSync("taskset", ["-a", "-c", "-p", String(cores.rest), String(process.pid)], { stdio: "ignore" });
  const adapter = await startOurs(bench.settings);
  bench.stops.push(() => adapter.stop());
  const bodies = new Map<string, string>();
  for (const { name, path } of cases) {
    bodies.set(encodeURIComponent(name), await servedBody(adapter.port, bench.pki, path));
  }
  const helper = await startHelper(new URL("../adapter/floor.ts", import.meta.url), cores.tested);
  bench.stops.push(helper.stop);
  const setup = { ...bench.pki.server, bodies: Object.fromEntries(bodies) };
  const floor = { pid: helper.pid, port: (await helper.request<FloorAddress>(setup)).port };
  const costs: RequestCost[] = [];
  for (const one of cases) costs.push(await measureCase(bench, one, adapter, floor));
  return costs;
}

async function measureCase(
  bench: OpenBench,
  one: Case,
  adapter: Server,
  floor: Server,
): Promise<RequestCost> {
  const load: Load = { paths: [one.path], connections: 4, durationMs: turnLimitMs, requests: turnRequests };
  const floorLoad = { ...load, paths: [`/${one.floor}/${encodeURIComponent(one.name)}`] };
  const turns = {
    floor: { server: floor, load: floorLoad, best: Infinity },
    warm: { server: adapter, load, best: Infinity },
    cold: { server: adapter, load: { ...load, isNew: true }, best: Infinity },
  };
  for (const turn of Object.values(turns))
    await measure(bench, turn.server, { ...turn.load, requests: warmUpRequests });
  for (let round = 0; round < rounds; round++)
    for (const turn of Object.values(turns)) {
      const { cpuMicros, failures } = await measure(bench, turn.server, turn.load);
      if (failures > 0) throw new Error(`${one.name}: ${failures} requests failed`);
      turn.best = Math.min(turn.best, cpuMicros);
    }
  return { name: one.name, floor: turns.floor.best, warm: turns.warm.best, cold: turns.cold.best };
}

await withBench("short", async (bench) => {
  const costs = await measureAll(bench);
  if (values.json === undefined) console.table(costs);
  else writeFileSync(values.json, JSON.stringify(costs));
});
process.exit();
