// What a decision costs, against the least that it could cost, in one run:
//   npm run task -- bench-core [--go "PROGRAM ARG…"]
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { decide, preparePods } from "@plimsoll/core";
import { proposeReplicas } from "@plimsoll/core/steps";
import { join, joinFromList, quantityTexts, readQuantities, usageByPod } from "./floor.ts";
import { measure, type Task } from "./measure.ts";
import { measureMemory } from "./memory.ts";
import { type MetricKind, makeWorkloads, type PodWorkload } from "./workload.ts";

const sizes = [1, 10, 100, 1_000, 10_000];
const totalPods = 20_000;

const { values } = parseArgs({ options: { go: { type: "string" } } });

function decidePass(workloads: readonly PodWorkload[]): number {
  let sum = 0;
  for (const workload of workloads) sum += decide(workload).decision.desiredReplicas;
  return sum;
}

function proposePass(workloads: readonly PodWorkload[]): number {
  let sum = 0;
  for (const { hpa, scale, pods, samples } of workloads) {
    const [metric, first] = [hpa.spec?.metrics?.[0], samples[0]];
    if (metric === undefined || first === undefined || !scale.ok) throw new Error("no such workload");
    const { specReplicas, statusReplicas } = scale;
    const input = { nowMs: workloads[0]?.nowMs ?? 0, metric, specReplicas, statusReplicas, pods: pods.pods };
    const proposal = proposeReplicas({ ...input, samples: first });
    if (!proposal.ok) throw new Error(proposal.message);
    sum += proposal.replicas;
  }
  return sum;
}

function prepared(workloads: readonly PodWorkload[]): readonly PodWorkload[] {
  return workloads.map((workload) => ({
    ...workload,
    pods: { ok: true, pods: preparePods(workload.pods.pods) },
  }));
}

function tasksFor(workloads: readonly PodWorkload[]): readonly Task[] {
  const pods = workloads.map((workload) => workload.pods.pods);
  const maps = workloads.map(usageByPod);
  const lists = maps.map((map) => [...map]);
  const texts = workloads.map(quantityTexts);
  const ready = prepared(workloads);
  const each = (one: (i: number) => number) => () => {
    let sum = 0;
    for (let i = 0; i < workloads.length; i++) sum += one(i);
    return sum;
  };
  return [
    { name: "join", run: each((i) => join(pods[i] ?? [], maps[i] ?? new Map())) },
    { name: "join from list", run: each((i) => joinFromList(pods[i] ?? [], lists[i] ?? [])) },
    { name: "quantities", run: each((i) => readQuantities(texts[i] ?? [])) },
    { name: "proposeReplicas", run: () => proposePass(workloads) },
    { name: "decide", run: () => decidePass(workloads) },
    { name: "decide, pods prepared", run: () => decidePass(ready) },
  ];
}

function print(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  console.log(`\n${title}`);
  console.table(Object.fromEntries(rows.map((row, i) => [i + 1, row])));
}

const go = measureGo(values.go, sizes);

for (const size of sizes) {
  const workloads = makeWorkloads(size, totalPods, "utilization");
  const timings = measure(tasksFor(workloads));
  const perDecision = (nanoseconds: number) => nanoseconds / workloads.length;
  const goTime = go?.get(size);
  print(
    `cpu utilization, ${size} pods each, ${workloads.length} HPAs a pass`,
    timings.map(({ name, nanoseconds, ratio }) => ({
      what: name,
      "ns/pod": round(perDecision(nanoseconds) / size),
      "µs/decision": round(perDecision(nanoseconds) / 1000),
      "× join": round(ratio),
      ...(goTime === undefined ? {} : { "× Go": round(perDecision(nanoseconds) / goTime) }),
    })),
  );
}

const kinds: readonly MetricKind[] = ["utilization", "average", "pods", "external"];
print(
  "a whole decision with its trace, 100 prepared pods",
  kinds.map((kind) => {
    const workloads = prepared(makeWorkloads(100, totalPods, kind));
    const [timing] = measure([{ name: kind, run: () => decidePass(workloads) }]);
    const each = (timing?.nanoseconds ?? NaN) / workloads.length;
    return { metric: kind, "ns/pod": round(each / 100), "µs/decision": round(each / 1000) };
  }),
);

const collect = globalThis.gc;
if (collect === undefined) console.log("\nmemory: not measured, node lacks --expose-gc");
else {
  const rows = measureMemory(() => {
    collect();
  });
  print(
    "memory of one HPA between evaluations (goal: 4,096 bytes)",
    rows.map(({ name, bytesEach }) => ({ after: name, bytes: bytesEach })),
  );
}
console.log("\ngoals: decide ≤ 100 ns/pod with prepared pods; ≤ 3 × Go's GetResourceReplicas at 100 pods");

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/**
 * Nanoseconds of the real GetResourceReplicas by number of pods, from a program that reads {"pods":[…]} and
 * prints lines of {"pods":N,"nanoseconds":T}; undefined where none is given.
 */
function measureGo(
  command: string | undefined,
  pods: readonly number[],
): ReadonlyMap<number, number> | undefined {
  if (command === undefined || command === "") return undefined;
  const child = spawnSync(command, {
    shell: true,
    encoding: "utf8",
    input: `${JSON.stringify({ pods })}\n`,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`${command} failed`);
  const lines = child.stdout.split("\n").filter((line) => line.startsWith("{"));
  const rows = lines.map((line) => JSON.parse(line) as { pods: number; nanoseconds: number });
  return new Map(rows.map((row) => [row.pods, row.nanoseconds]));
}
