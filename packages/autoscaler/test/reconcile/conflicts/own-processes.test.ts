// Processes of one installation take objects over from each other, and lose responses: none takes another for a foreign writer.
import { type Clock, sleep } from "@plimsoll/component-base";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { ConnectionError, type KubeClient } from "@plimsoll/kube";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type FakeApi, startFakeApi } from "../../fake-api.ts";
import { type Rig, rig, wanting, workload } from "../../harness.ts";

const periodMs = 5000;
const startMs = Date.parse("2030-01-01T00:00:00Z");
const names = ["a", "b"];
const leases = {
  leaseDurationMs: 4000,
  renewDeadlineMs: 3000,
  retryPeriodMs: 500,
  resourceName: "autoscaler",
  resourceNamespace: "default",
};

/** What becomes of the requests of one process. */
interface Link {
  isCut: boolean;
  /** Of the next writes: they are carried out, and then the connection ends. */
  lost: number;
  /** From a write that was carried out to its response. */
  lateMs: number;
}

function over(client: KubeClient, link: Link, clock: Clock): KubeClient {
  const check = (): void => {
    if (link.isCut) throw new ConnectionError("reset", "socket hang up");
  };
  return {
    ...client,
    async request<T>(request: Parameters<KubeClient["request"]>[0]): Promise<T> {
      check();
      const isWrite = request.method === "PUT" && !request.path.includes("/leases");
      const response = await client.request<T>(request);
      if (isWrite && link.lateMs > 0) await sleep(clock, link.lateMs);
      if (isWrite && link.lost > 0) {
        link.lost -= 1;
        throw new ConnectionError("reset", "socket hang up");
      }
      check();
      return response;
    },
    async stream(request) {
      check();
      return await client.stream(request);
    },
  };
}

interface Process {
  readonly rig: Rig;
  readonly link: Link;
}

/** At most three processes of one installation, with a leader or with shards. */
function installation(api: FakeApi, clock: ManualClock, want: () => number) {
  const running: Process[] = [];
  let started = 0;
  return {
    running,
    async start(mode: "leader" | "shards"): Promise<void> {
      if (running.length === 3) return;
      const link: Link = { isCut: false, lost: 0, lateMs: 0 };
      const process = await rig({
        api,
        clock,
        identity: `process-${++started}`,
        config: {
          syncPeriodMs: periodMs,
          coordination: mode === "leader" ? { mode, ...leases } : { mode, shards: 4, ...leases },
        },
        decide: wanting(want),
        wrapClient: (client) => over(client, link, clock),
      });
      running.push({ rig: process, link });
    },
    async stop(): Promise<void> {
      const oldest = running.shift();
      if (oldest === undefined) return;
      const ended = new AbortController();
      const stopped = oldest.rig.autoscaler.stop().finally(() => ended.abort());
      while (!ended.signal.aborted) await clock.advance(1000);
      await stopped;
    },
  };
}

/** A link is cut for as long as a step takes: others have its objects then, and give them back. */
const acts = ["start", "stop", "cut", "cut", "cut", "lose", "late", "none"] as const;
function spoil(link: Link, act: (typeof acts)[number]): void {
  if (act === "cut") link.isCut = true;
  if (act === "lose") link.lost = 3;
  if (act === "late") link.lateMs = 5000 - link.lateMs;
}

function expectOwn({ autoscaler }: Rig): void {
  for (const name of names)
    for (const { mode, otherWriter } of autoscaler.decisions.of("default", name))
      expect({ mode, otherWriter }).toEqual({ mode: "active", otherWriter: undefined });
}

const step = fc.record({
  act: fc.constantFrom(...acts),
  which: fc.nat(2),
  want: fc.integer({ min: 1, max: 9 }),
  advanceMs: fc.integer({ min: 500, max: 15_000 }),
});

test("whoever has an object, however it came and whatever was lost, no process of ours is another writer", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.constantFrom("leader" as const, "shards" as const),
      fc.array(step, { minLength: 5, maxLength: 25 }),
      async (mode, steps) => {
        const clock = manualClock(startMs);
        const api = await startFakeApi(clock.nowMs);
        for (const name of names) workload(api, name);
        let want = 5;
        const { running, start, stop } = installation(api, clock, () => want);
        await start(mode);
        await start(mode);
        for (const { act, which, want: next, advanceMs } of steps) {
          want = next;
          const link = running[which % Math.max(1, running.length)]?.link;
          if (act === "start") await start(mode);
          else if (act === "stop") await stop();
          else if (link !== undefined) spoil(link, act);
          await clock.advance(advanceMs);
          if (link !== undefined) link.isCut = false;
          for (const { rig: process } of running) expectOwn(process);
        }
        expect(api.list("events").filter(({ reason }) => reason === "ForeignWriter")).toEqual([]);
        while (running.length > 0) await stop();
        // The harness takes an object that comes back for one with two writers.
        api.scaled.splice(0);
        await api.stop();
      },
    ),
    { numRuns: 25 },
  );
});
