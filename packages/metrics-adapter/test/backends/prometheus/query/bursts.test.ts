// How many queries a synchronization of all autoscalers takes, whatever their requests looked like before.
import { vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { pod } from "../cluster.ts";
import { type Harness, startHarness, valueOf } from "../harness.ts";

const byPod = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rules = `rules: [{seriesQuery: hits, ${byPod}, metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'}]`;
const namespaces = Array.from({ length: 50 }, (_, at) => `ns-${at}`);
const apps = ["a", "b", "c", "d"];
const podsOf = (app: string): readonly string[] => Array.from({ length: 10 }, (_, at) => `${app}-${at}`);
/** 200 pods in each namespace, of which 40 are autoscaled: a query for all of them pays for four requests. */
const names = [...apps, ...Array.from({ length: 16 }, (_, at) => `other${at}`)].flatMap(podsOf);
const periodMs = 15_000;

interface Client {
  readonly namespace: string;
  readonly app: string;
  /** When it comes within each period. */
  readonly atMs: number;
}

let harness: Harness;
afterEach(() => harness.stop());

async function start(): Promise<void> {
  harness = await startHarness({
    rules,
    series: namespaces.map((namespace) => ({ __name__: "hits", namespace, pod: "a-0" })),
    objects: {
      pods: namespaces.flatMap((namespace) =>
        apps.flatMap((app) => podsOf(app).map((name) => pod(namespace, name, { app }))),
      ),
    },
    query: () => {
      const atSeconds = harness.clock.nowMs() / 1000;
      return vector(names.map((name) => ({ labels: { pod: name }, value: "1", atSeconds })));
    },
    resultMaxAgeMs: 5_000,
    isTimedByClock: true,
  });
}

/** Numbers from 0 to 1 that look like chance, and are the same in each run. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Clients whose requests are even in each namespace. */
function evenClients(chance: () => number): readonly Client[] {
  return namespaces.flatMap((namespace) => {
    const first = chance() * periodMs;
    return apps.map((app, at) => ({
      namespace,
      app,
      atMs: (first + (at * periodMs) / apps.length) % periodMs,
    }));
  });
}

/** Runs one period, or its start; gives the number of its queries. */
async function run(clients: readonly Client[], lastMs = periodMs): Promise<number> {
  const before = harness.queries().length;
  const startMs = harness.clock.nowMs();
  const until = (atMs: number): Promise<void> =>
    harness.clock.advance(startMs + atMs - harness.clock.nowMs());
  for (const { namespace, app, atMs } of clients.toSorted((a, b) => a.atMs - b.atMs)) {
    if (atMs > lastMs) break;
    await until(atMs);
    const outcome = await harness.custom({ metric: "hits", labelSelector: `app=${app}`, namespace });
    expect(valueOf(outcome)).toHaveLength(10);
  }
  await until(lastMs);
  return harness.queries().length - before;
}

/** The same clients, each up to half a second late. */
function delayed(clients: readonly Client[], chance: () => number): readonly Client[] {
  return clients.map((client) => ({ ...client, atMs: Math.min(client.atMs + chance() * 500, periodMs - 1) }));
}

/** The same clients, which come in any order within four seconds. */
function together(clients: readonly Client[], chance: () => number): readonly Client[] {
  return clients.map((client) => ({ ...client, atMs: chance() * 4_000 }));
}

/** One query for each namespace, and a fifth more. */
const bound = namespaces.length * 1.2;

test.each([1, 2, 3])("a burst after an even load takes a query for each namespace, seed %i", async (seed) => {
  await start();
  const chance = chances(seed);
  const clients = evenClients(chance);
  for (let period = 0; period < 3; period += 1) await run(delayed(clients, chance));
  // Of all that come far apart each has a query of its own.
  expect(await run(delayed(clients, chance))).toBe(clients.length);
  await run(clients, chance() * periodMs);
  for (let period = 0; period < 3; period += 1)
    expect(await run(together(clients, chance))).toBeLessThanOrEqual(bound);
});

test("a burst after a pause takes a query for each namespace", async () => {
  await start();
  const chance = chances(4);
  const clients = evenClients(chance);
  for (let period = 0; period < 3; period += 1) await run(together(clients, chance));
  await harness.clock.advance(60_000);
  expect(await run(together(clients, chance))).toBeLessThanOrEqual(bound);
});
