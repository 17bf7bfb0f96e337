import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { hitsFor, replicas, setHits, twoProcesses, writesOf } from "../test/faults/two-processes.ts";

test("wherever a leader is stopped, of two processes one writes at a time", async () => {
  const { api, first, second } = await twoProcesses();
  const runs = { first, second };
  let leader: keyof typeof runs = "first";
  for (let round = 0; round < 3; round++) {
    const other: keyof typeof runs = leader === "first" ? "second" : "first";
    const want = 2 * round + 4;
    setHits(api, hitsFor(want));
    // Stopped while its writes of this change are under way, or just before them.
    await eventually(() => expect(replicas(api)).toBe(want));
    runs[leader].kill("SIGSTOP");
    const scaledBefore = api.scaled.length;
    setHits(api, hitsFor(want + 1));
    await eventually(() => expect(replicas(api)).toBe(want + 1));
    expect(api.scaled.slice(scaledBefore).map(({ agent }) => agent)).toEqual([other]);
    const awake = runs[leader];
    const count = (text: string) => awake.lines().filter(({ msg }) => msg === text).length;
    // What was on the wire when the process stood still has come meanwhile, and is not its doing any more.
    const since = writesOf(api, leader).length;
    awake.kill("SIGCONT");
    await eventually(() => expect(count("objects lost")).toBe(count("objects gained")));
    // Events of earlier writes may still be sent.
    const late = writesOf(api, leader).slice(since);
    expect(late.filter((write) => !write.endsWith("/events"))).toEqual([]);
    leader = other;
  }
  expect(api.list("events").map((event) => event["reason"])).not.toContain("ForeignWriter");
});
