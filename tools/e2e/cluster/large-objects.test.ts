// One tenant fills etcd with large objects of all kinds that both processes watch.
import type { PlimsollProcess } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createLarge, largeBytes } from "./large-objects.ts";
import { type LargeWorld, peakMiB, startLargeWorld } from "./large-objects-world.ts";

/** `LARGE_OBJECTS_MIB=1024 npm run task -- cluster large-objects` takes a quarter of an hour, and 8 GiB for the API server. */
const mib = Number(process.env["LARGE_OBJECTS_MIB"] ?? 96);
const isFull = mib >= 1024;
/** Those of the chart. Of fewer objects, what both processes take without any, from their sources, and a part of the rest. */
const limitMiB = isFull ? 1024 : 300;
/** Node's own choice in a container with this limit. */
const heapMiB = isFull ? 560 : 190;
const count = Math.ceil((mib * 1024 * 1024) / largeBytes);

const folder = fileFolder();
let world: LargeWorld;
let adapter: PlimsollProcess;
let leader: PlimsollProcess;
let standby: PlimsollProcess;

beforeAll(async () => {
  world = await startLargeWorld({ folder, binaries: inject("binaries"), heapMiB });
});

afterAll(async () => {
  await world?.stop();
});

test(
  `with ${mib} MiB of large objects a victim is served and scaled, and no process takes more than its limit`,
  async () => {
    const half = Math.floor(count / 2);
    await createLarge(world.client, { from: 0, to: half });
    adapter = await world.startAdapter();
    leader = await world.startAutoscaler();
    expect(await peaksWith(4, [adapter, leader])).toEqual(belowLimit);

    standby = await world.startAutoscaler();
    const arriving = createLarge(world.client, { from: half, to: count });
    expect(await peaksWith(6, [adapter, leader, standby])).toEqual(belowLimit);
    await arriving;

    process.kill(leader.pid, "SIGKILL");
    await leader.exited;
    expect(await peaksWith(8, [adapter, standby])).toEqual(belowLimit);

    await world.cut();
    expect(await peaksWith(10, [adapter, standby])).toEqual(belowLimit);
  },
  // The full run writes for a quarter of an hour.
  isFull ? 1_800_000 : undefined,
);

/** Processes above their limit; none. */
const belowLimit: readonly string[] = [];

/** Waits until the victim has this number of replicas by a metric of the rules file. Returns the processes that took too much by then. */
async function peaksWith(
  replicas: number,
  processes: readonly PlimsollProcess[],
): Promise<readonly string[]> {
  world.want(replicas);
  await world.isServed();
  await world.reaches(replicas);
  return processes
    .filter((each) => peakMiB(each) >= limitMiB)
    .map((each) => `${each.name} has taken ${peakMiB(each)} MiB`);
}
