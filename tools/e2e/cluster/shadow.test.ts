import type { HpaStatus } from "@plimsoll/core";
import { applyManifests, type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../soak/random.ts";
import { type Agreement, compareAtRest, compareOnSameInputs, comparisonOf, type Dated } from "./agreement.ts";
import { builtInHpa, ownLease, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { createFleet, loadsAt, type Member } from "./fleet.ts";

const PERIOD_MS = 1_000;
const WINDOW_MS = 4_000;
/** A window, a period in which each controller comes to look, and a second for scrapes and watches. */
const REST_MS = WINDOW_MS + PERIOD_MS + 1_000;
/** How long a cpu takes to come to its new value: the range of the rate, and the initialization of new pods. */
const CPU_REST_MS = 3_000;
const DWELL_MS = 14_000;
const STEPS = 6;

const flags = [
  `--horizontal-pod-autoscaler-sync-period=${PERIOD_MS}ms`,
  `--horizontal-pod-autoscaler-downscale-stabilization=${WINDOW_MS}ms`,
  "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
  "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
];

const windowed = createFleet("windowed");
const memoryless = createFleet("memoryless");
const fleet = [...windowed, ...memoryless];
const seed = 20_261_121;

let cluster: TemporaryCluster;
let autoscaler: PlimsollProcess;
/** Of each autoscaler: the comparisons that stood in the cluster, and when the pods of its target changed. */
const builtIn = new Map<string, Dated[]>();
const podMoves = new Map<string, number[]>();

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: loadsAt(fleet, () => 1),
    workloads: "",
    withTimestamps: true,
  });
  const { stack } = cluster;
  await applyManifests(
    stack,
    fleet.flatMap(({ objects }) => objects),
  );
  stack.store.subscribe(({ resource, object }) => {
    const { name, labels } = object.metadata;
    const atMs = Date.now();
    if (resource === "pods") push(podMoves, labels?.["app"] ?? "", atMs);
    if (resource !== "horizontalpodautoscalers.autoscaling") return;
    push(builtIn, name, { atMs, comparison: comparisonOf((object.status ?? {}) as HpaStatus) });
  });
  await stack.startControllerManager(
    builtInHpa([...flags, "--concurrent-horizontal-pod-autoscaler-syncs=10"]),
  );
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${await stack.kubeconfigFor("autoscaler")}`,
    "--manage-hpas=none",
    ...flags,
    "--decision-history=200",
    ownLease,
    "--port=0",
    "--insecure-decisions",
  ]);
  await until("a decision on every autoscaler", async () => {
    const latest = await fetch(`http://127.0.0.1:${autoscaler.port}/apis/decisions/v1`);
    const { items } = (await latest.json()) as { items: readonly unknown[] };
    return items.length === fleet.length ? true : undefined;
  });
  await until("a status on every autoscaler", () =>
    fleet.every(({ name }) => (builtIn.get(name)?.at(-1)?.comparison.conditions.length ?? 0) > 0)
      ? true
      : undefined,
  );
});

afterAll(async () => {
  await autoscaler?.stop();
  await cluster?.stop();
});

test("in shadow, ours decides what the built-in controller decides", async () => {
  const { stack } = cluster;
  // What one controller saw before the other one started must be forgotten.
  await pause(2 * REST_MS);
  const fromMs = Date.now();
  const { next: random } = createRandom(seed);
  const loadMoves: number[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    loadMoves.push(Date.now());
    stack.load.play(loadsAt(fleet, () => 0.3 + 6 * random()));
    await pause(DWELL_MS);
  }
  const untilMs = Date.now();
  // The built-in controller may come to the last ones later.
  await pause(2 * PERIOD_MS);

  const oursOf = async (name: string) =>
    (await decisionsOf(name)).filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs);
  const onSameInputs = await compareAll(memoryless, async (name) =>
    compareOnSameInputs(await oursOf(name), builtIn.get(name) ?? [], {
      windowMs: 2 * PERIOD_MS,
      podMoves: podMoves.get(name) ?? [],
    }),
  );
  const atRest = await compareAll(fleet, async (name) =>
    compareAtRest((await oursOf(name)).map(rounded), (builtIn.get(name) ?? []).map(rounded), {
      moves: [...loadMoves, ...(podMoves.get(name) ?? [])],
      restMs: REST_MS + (name.startsWith("cpu-") ? CPU_REST_MS : 0),
    }),
  );
  console.log(`seed ${seed}`, { onSameInputs: onSameInputs.totals, atRest: atRest.totals });
  expect(onSameInputs.disagreements.slice(0, 5)).toEqual([]);
  expect(atRest.disagreements.slice(0, 5)).toEqual([]);
  expect(onSameInputs.totals.scales).toBeGreaterThan(0);
  expect(atRest.unseen).toEqual([]);
  // A cpu is a rate: both controllers seldom see the same one to the thousandth.
  expect(onSameInputs.unseen.filter((name) => !name.startsWith("cpu-"))).toEqual([]);
});

/** A measured cpu is left out, and with it nothing that a decision made of it. */
function rounded(dated: Dated): Dated {
  const currentMetrics = dated.comparison.currentMetrics.filter((metric) => {
    const { resource } = metric as { resource?: { name: string } };
    return resource?.name !== "cpu";
  });
  return { ...dated, comparison: { ...dated.comparison, currentMetrics } };
}

async function compareAll(
  members: readonly Member[],
  compareOne: (name: string) => Promise<Agreement>,
): Promise<{
  readonly totals: { compared: number; scales: number; notComparable: number; disagreements: number };
  readonly disagreements: readonly string[];
  /** Autoscalers with no decision that could be compared. */
  readonly unseen: readonly string[];
}> {
  const totals = { compared: 0, scales: 0, notComparable: 0, disagreements: 0 };
  const disagreements: string[] = [];
  const unseen: string[] = [];
  for (const { name } of members) {
    const agreement = await compareOne(name);
    totals.compared += agreement.compared;
    totals.scales += agreement.scales;
    totals.notComparable += agreement.notComparable;
    totals.disagreements += agreement.disagreements.length;
    if (agreement.compared === 0) unseen.push(name);
    for (const one of agreement.disagreements) disagreements.push(`${name}: ${JSON.stringify(one)}`);
  }
  return { totals, disagreements, unseen };
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

async function decisionsOf(name: string): Promise<readonly Dated[]> {
  const answer = await fetch(
    `http://127.0.0.1:${autoscaler.port}/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/${name}`,
  );
  const { items } = (await answer.json()) as {
    items: readonly { at: string; mode: string; decision: { status: HpaStatus } }[];
  };
  expect(items.every(({ mode }) => mode === "shadow")).toBe(true);
  return items.map(({ at, decision }) => ({
    atMs: Date.parse(at),
    comparison: comparisonOf(decision.status),
  }));
}

/** The load's own time passes; there is no condition to wait for. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
