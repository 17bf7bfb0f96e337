// Says what a pod and the usage of a pod cost to read, from JSON and from protobuf, until they are what the autoscaler keeps.
//   npm run bench -- protobuf [--rounds=20]
// CPU of the whole process, by turns, so that the load of the machine matters little; the floor is JSON.parse alone.
import { parseArgs } from "node:util";
import type { KubeObject } from "@plimsoll/kube";
import { podReader, readPage } from "@plimsoll/kube/protobuf";
import { batchCall, createPodProjection } from "@plimsoll/observe";
import { type BothWays, podsBothWays, usageBothWays } from "./objects.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "20" } } });
const rounds = Number(values.rounds);
const settleRounds = 4;
/** Results that stay for a while, as those of an autoscaler do. */
const kept: unknown[] = Array.from({ length: 16 });

interface Case {
  readonly name: string;
  readonly lists: BothWays;
  readonly fromJson: (body: unknown) => unknown;
  readonly fromProtobuf: (bytes: Buffer) => unknown;
}

const projectJson = createPodProjection();
const projectProtobuf = createPodProjection();
const usage = batchCall("default");

const cases: readonly Case[] = [
  {
    name: "a pod",
    lists: podsBothWays(500),
    fromJson: (body) => (body as { readonly items: readonly KubeObject[] }).items.map(projectJson),
    fromProtobuf: (bytes) =>
      (readPage(bytes, podReader).items as readonly unknown[] as readonly KubeObject[]).map(projectProtobuf),
  },
  {
    name: "the usage of a pod",
    lists: usageBothWays(750),
    fromJson: usage.read,
    fromProtobuf: (bytes) => usage.readProtobuf?.(bytes),
  },
];

console.log("CPU µs per item, minimum and median of the rounds; bytes per item\n");
console.log("| | JSON.parse alone | from JSON | from protobuf | JSON / protobuf | bytes |");
console.log("| --- | --- | --- | --- | --- | --- |");
for (const { name, lists, fromJson, fromProtobuf } of cases) {
  const { items, json, protobuf } = lists;
  const parse = (): unknown => JSON.parse(json.toString("utf8"));
  const [floor, one, other] = compare(items, [
    () => typeof parse(),
    () => fromJson(parse()),
    () => fromProtobuf(protobuf),
  ]);
  const ratio = ((one?.min ?? 0) / (other?.min ?? 1)).toFixed(1);
  const bytes = `${Math.round(json.length / items)} / ${Math.round(protobuf.length / items)}`;
  console.log(`| ${name} | ${text(floor)} | ${text(one)} | ${text(other)} | ${ratio} | ${bytes} |`);
}

interface Cost {
  readonly min: number;
  readonly median: number;
}

/** CPU µs per item of each, by turns. */
function compare(items: number, runs: readonly (() => unknown)[]): readonly Cost[] {
  const costs = runs.map((): number[] => []);
  for (let round = 0; round < settleRounds + rounds; round++)
    for (const [n, run] of runs.entries()) {
      const cost = costOf(run) / items;
      if (round >= settleRounds) costs[n]?.push(cost);
    }
  return costs.map((taken) => {
    const sorted = taken.toSorted((a, b) => a - b);
    return { min: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
  });
}

function costOf(run: () => unknown): number {
  const times = 8;
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) {
    kept.shift();
    kept.push(run());
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

function text(cost: Cost | undefined): string {
  return cost === undefined ? "-" : `${cost.min.toFixed(2)}, ${cost.median.toFixed(2)}`;
}
