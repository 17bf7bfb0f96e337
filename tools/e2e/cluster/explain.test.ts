// explain and status on a real control plane with the built-in controller, and nothing of ours installed.

import { runCli } from "@plimsoll/cli";
import type { StatusComparison } from "@plimsoll/core";
import { applyManifests, type Child, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../soak/random.ts";
import { builtInHpa, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { createFleet, loadsAt, type Member } from "./fleet.ts";

const steps = 4;
const dwellMs = 6_000;
const flags = [
  "--horizontal-pod-autoscaler-sync-period=1s",
  "--horizontal-pod-autoscaler-downscale-stabilization=4s",
  "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
  "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
];
/** The controller runs outside the cluster: its flags cannot be read. */
const known = [
  "--sync-period=1s",
  "--downscale-stabilization=4s",
  "--cpu-initialization-period=1s",
  "--initial-readiness-delay=1s",
];

const fleet = [...createFleet("windowed"), ...createFleet("memoryless"), ...second(createFleet("windowed"))];
const seed = 20_261_122;

let cluster: TemporaryCluster;
let manager: Child;

beforeAll(async () => {
  cluster = await temporaryCluster({ loads: loadsAt(fleet, () => 1), workloads: "", withTimestamps: true });
  const { stack } = cluster;
  await applyManifests(
    stack,
    fleet.flatMap(({ objects }) => objects),
  );
  manager = await startManager([]);
  await until("a status on every autoscaler", async () => {
    const { items } = await json<StatusList>(["status", "-n", "default", "--limit=0"]);
    return items.length === fleet.length && items.every(({ metrics }) => metrics.length > 0)
      ? true
      : undefined;
  });
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

interface StatusList {
  readonly items: readonly {
    readonly name: string;
    readonly current: number;
    readonly metrics: readonly unknown[];
  }[];
}

interface Explanation {
  readonly source: string;
  readonly object: { readonly name: string };
  readonly summary: object;
  readonly comparison: StatusComparison | null;
}

test("on at least 40 HPAs explain agrees with the built-in controller over their life, or has seen newer values", async () => {
  expect(fleet.length).toBeGreaterThanOrEqual(40);
  const { next: random } = createRandom(seed);
  const counts: Record<string, number> = {};
  const different: Explanation[] = [];
  for (let step = 0; step < steps; step += 1) {
    cluster.stack.load.play(loadsAt(fleet, () => 0.3 + 6 * random()));
    await pause(dwellMs);
    for (const explanation of await explainAll(fleet)) {
      const is = explanation.comparison?.verdict ?? explanation.source;
      counts[is] = (counts[is] ?? 0) + 1;
      if (differs(explanation)) different.push(explanation);
    }
  }
  console.log(`seed ${seed}`, counts);
  expect(different.slice(0, 3)).toEqual([]);
  expect(Object.keys(counts).sort()).toEqual(["agrees", "moved"]);
  expect(counts["agrees"]).toBeGreaterThan(steps * fleet.length * 0.5);
});

test("with the controller at another tolerance it differs, and the tolerance is named", async () => {
  const plain = fleet.filter(({ name }) => /^(?:pods|external-average|cpu-average)-windowed/.test(name));
  cluster.stack.load.play(loadsAt(plain, () => 2));
  await until("two replicas each", async () => {
    const { items } = await json<StatusList>(["status", "-n", "default", "--limit=0"]);
    const ofPlain = items.filter(({ name }) => plain.some((member) => member.name === name));
    return ofPlain.every(({ current }) => current === 2 || current === 3) ? true : undefined;
  });
  await manager.stop();
  manager = await startManager(["--horizontal-pod-autoscaler-tolerance=0.5"]);
  // A fourth more than the replicas are meant to carry.
  cluster.stack.load.play(loadsAt(plain, () => 2.5));
  await pause(dwellMs);
  const explanations = await explainAll(plain);
  expect(explanations.map(({ comparison }) => comparison?.verdict)).toContain("differs");
  for (const { comparison } of explanations.filter(differs))
    expect(comparison?.assumptions.map(({ about }) => about)).toContain("tolerance");
  const right = await explainAll(plain, ["--tolerance=0.5"]);
  expect(right.filter(differs)).toEqual([]);
});

function differs({ comparison }: Explanation): boolean {
  return comparison?.verdict === "differs";
}

function startManager(more: readonly string[]): Promise<Child> {
  const args = [...flags, "--concurrent-horizontal-pod-autoscaler-syncs=10", ...more];
  return cluster.stack.startControllerManager(builtInHpa(args));
}

async function explainAll(
  members: readonly Member[],
  more: readonly string[] = [],
): Promise<readonly Explanation[]> {
  const explained: Explanation[] = [];
  const queue = members.values();
  const worker = async () => {
    for (const { name } of queue)
      explained.push(
        await json<Explanation>(["explain", name, "-n", "default", "--settle", ...known, ...more]),
      );
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  return explained;
}

async function json<T>(args: readonly string[]): Promise<T> {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: [...args, "--kubeconfig", cluster.stack.kubeconfig, "--via=none", "-o", "json"],
    name: "plimsoll",
    version: "0.0.0",
    readText: () => Promise.reject(new Error("no file is read")),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  if (code !== 0) throw new Error(errors);
  return JSON.parse(out) as T;
}

/** The same once more, by another name. */
function second(members: readonly Member[]): readonly Member[] {
  return members.map(
    (member) => JSON.parse(JSON.stringify(member).replaceAll("-windowed", "-again")) as Member,
  );
}

/** The load's own time passes; there is no condition to wait for. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
