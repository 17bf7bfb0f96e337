// The requests that are measured, each with its floor and its goal.
import { cores, type Helper, startHelper } from "@plimsoll/testbed";
import { type AdapterProcess, get } from "./adapters.ts";
import type { Load } from "./driver.ts";
import { big, paths, solo } from "./fleet.ts";
import type { FloorAddress } from "./floor.ts";
import { type Bench, type Measured, measure } from "./measure.ts";

export interface Case {
  readonly name: string;
  readonly path: string;
  readonly connections: number;
  /** Which floor the goal counts from: large responses cannot be had without writing them. */
  readonly floor: "prebuilt" | "stringified";
  /** CPU per request of prometheus-adapter against ours that is the goal; undefined: there is none. */
  readonly minGain: number | undefined;
}

export const cases: readonly Case[] = [
  { name: "discovery", path: paths.discovery, connections: 16, floor: "prebuilt", minGain: undefined },
  { name: "external, 1 value", path: paths.external(solo), connections: 16, floor: "prebuilt", minGain: 4 },
  {
    name: "object, 1 value",
    path: paths.object(solo),
    connections: 16,
    floor: "prebuilt",
    minGain: undefined,
  },
  { name: "pods/*, 1 pod", path: paths.pods(solo), connections: 16, floor: "prebuilt", minGain: undefined },
  { name: "pods/*, 100 pods", path: paths.pods(big), connections: 8, floor: "stringified", minGain: 80 },
  {
    name: "metrics.k8s.io, 100×2",
    path: paths.resource(big),
    connections: 8,
    floor: "stringified",
    minGain: 15,
  },
];

export interface CaseResult {
  readonly case: Case;
  readonly bytes: number;
  readonly ours: Measured;
  /** Cold: this exact request was not seen before, but its Prometheus result is cached. */
  readonly asNew: Measured;
  /** The same, when every request costs a query. */
  readonly uncached: Measured;
  /** The same three of another version of ours. */
  readonly before: Record<keyof Requested, Measured> | undefined;
  readonly theirs: Measured | undefined;
  readonly prebuilt: Measured;
  readonly stringified: Measured;
  /** CPU per request against the case's floor. */
  readonly ratio: number;
  readonly asNewRatio: number;
  /** How much faster the driver is than what it measures. */
  readonly headroom: number;
}

/** Two processes of one version of ours: one caches results, and the other sends a query for each request. */
export interface OurPair {
  readonly cached: AdapterProcess;
  readonly uncached: AdapterProcess;
}

export interface CaseOptions extends OurPair {
  readonly before: OurPair | undefined;
  readonly theirs: AdapterProcess | undefined;
  readonly rounds: number;
  readonly turnMs: number;
}

/** Each server gets its turn, round after round, so that other load on the machine affects all alike. */
export async function measureCases(
  bench: Bench,
  chosen: readonly Case[],
  options: CaseOptions,
): Promise<{ readonly cases: readonly CaseResult[]; readonly floorMix: Measured }> {
  const floor = await startHelper(new URL("./floor.ts", import.meta.url), cores.tested);
  try {
    const bodies = new Map<string, string>();
    for (const { name, path } of chosen) {
      const response = await get(options.cached.port, bench.pki, path);
      if (response.code !== 200) throw new Error(`${name}: ${response.code} ${response.body}`);
      bodies.set(encodeURIComponent(name), response.body);
    }
    const setup = { ...bench.pki.server, bodies: Object.fromEntries(bodies) };
    const { port } = await floor.request<FloorAddress>(setup);
    const results: CaseResult[] = [];
    for (const one of chosen) {
      const bytes = Buffer.byteLength(bodies.get(encodeURIComponent(one.name)) ?? "");
      results.push(await measureCase(bench, { ...options, one, bytes, floor: { helper: floor, port } }));
    }
    return { cases: results, floorMix: await measureFloorMix(bench, { pid: floor.pid, port }, chosen) };
  } finally {
    await floor.stop();
  }
}

/** What the machine lets a server that does nothing reach, at the rate of P12. */
async function measureFloorMix(
  bench: Bench,
  server: { readonly pid: number; readonly port: number },
  chosen: readonly Case[],
): Promise<Measured> {
  const floorPaths = chosen.map(({ name }) => `/prebuilt/${encodeURIComponent(name)}`);
  const load = { paths: floorPaths, connections: 64, rate: 667 };
  await measure(bench, server, { ...load, durationMs: 1000 });
  return await measure(bench, server, { ...load, durationMs: 4000 });
}

interface OneCase extends CaseOptions {
  readonly one: Case;
  readonly bytes: number;
  readonly floor: { readonly helper: Helper; readonly port: number };
}

/** The three ways in which a request of one kind is measured. */
interface Requested {
  readonly ours: () => Promise<Measured>;
  readonly asNew: () => Promise<Measured>;
  readonly uncached: () => Promise<Measured>;
}

function requested(bench: Bench, { cached, uncached }: OurPair, load: Load): Requested {
  return {
    ours: () => measure(bench, cached, load),
    asNew: () => measure(bench, cached, { ...load, isNew: true }),
    uncached: () => measure(bench, uncached, load),
  };
}

async function measureCase(bench: Bench, options: OneCase): Promise<CaseResult> {
  const { one, before, theirs, floor } = options;
  const load: Load = { paths: [one.path], connections: one.connections, durationMs: options.turnMs };
  const floorServer = { pid: floor.helper.pid, port: floor.port };
  const fileName = encodeURIComponent(one.name);
  const earlier = before === undefined ? undefined : requested(bench, before, load);
  const turns = {
    prebuilt: () => measure(bench, floorServer, { ...load, paths: [`/prebuilt/${fileName}`] }),
    ...requested(bench, options, load),
    stringified: () => measure(bench, floorServer, { ...load, paths: [`/stringified/${fileName}`] }),
    ...(earlier === undefined
      ? {}
      : { oursBefore: earlier.ours, asNewBefore: earlier.asNew, uncachedBefore: earlier.uncached }),
    ...(theirs === undefined ? {} : { theirs: () => measure(bench, theirs, load) }),
  };
  const taken = new Map<string, Measured[]>();
  for (const pair of before === undefined ? [options] : [options, before]) {
    for (const server of [pair.cached, pair.uncached])
      await measure(bench, server, { ...load, durationMs: options.turnMs * 4 });
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const [name, turn] of Object.entries(turns)) {
      taken.set(name, [...(taken.get(name) ?? []), await turn()]);
    }
  }
  const rounds = (name: string) => taken.get(name) ?? [];
  const ours = typical(rounds("ours"));
  const asNew = typical(rounds("asNew"));
  const floors = { prebuilt: typical(rounds("prebuilt")), stringified: typical(rounds("stringified")) };
  return {
    case: one,
    bytes: options.bytes,
    ours,
    asNew,
    uncached: typical(rounds("uncached")),
    before: earlier && {
      ours: typical(rounds("oursBefore")),
      asNew: typical(rounds("asNewBefore")),
      uncached: typical(rounds("uncachedBefore")),
    },
    theirs: theirs === undefined ? undefined : typical(rounds("theirs")),
    ...floors,
    ratio: ours.cpuMicros / floors[one.floor].cpuMicros,
    asNewRatio: asNew.cpuMicros / floors[one.floor].cpuMicros,
    headroom: floors.prebuilt.rps / ours.rps,
  };
}

/** The round at the lower quartile of cost: what else the machine does only ever adds. Its maximum is that of all. */
function typical(rounds: readonly Measured[]): Measured {
  const sorted = rounds.toSorted((a, b) => a.cpuMicros - b.cpuMicros);
  const found = sorted[Math.floor((sorted.length - 1) / 4)];
  if (found === undefined) throw new Error("nothing was measured");
  const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
  return { ...found, failures, maxMs: Math.max(...rounds.map((round) => round.maxMs)) };
}
