import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { CoordinationConfig } from "../../src/leadership/coordination.ts";
import { type FakeApi, failure } from "../fake-api.ts";
import { type Rig, rig, within, workload, writes } from "../harness.ts";
import { cutOff, evaluated, five, leader, leases, names, reported, startMs } from "./leases.ts";

test("of two processes one evaluates; when it stops, the other does, at once and without a second scale", async () => {
  const clock = manualClock(startMs);
  const first = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: leader },
    before: (api) => workload(api, "shop"),
  });
  await within(clock, 20_000, () => expect(evaluated(first)).toEqual(["shop"]));
  const second = await rig({
    clock,
    decide: five,
    identity: "second",
    config: { coordination: leader },
    api: first.api,
  });
  await expect(second.autoscaler.sync()).rejects.toThrow("--leader-elect=false");
  expect(evaluated(second)).toEqual([]);
  await first.autoscaler.stop();
  await within(clock, 20_000, () => expect(evaluated(second)).toEqual(["shop"]));
  expect(writes(first.api).filter((line) => line.endsWith("/scale"))).toHaveLength(1);
});

test("an object that is new, or taken over, is evaluated at once, and then not before its period has passed", async () => {
  const clock = manualClock(startMs);
  const config = { coordination: leader, syncPeriodMs: 15_000 };
  const first = await rig({ clock, decide: five, identity: "first", config });
  await clock.advance(3000);
  for (const name of names) workload(first.api, name);
  await within(clock, 20_000, () => expect(evaluated(first).toSorted()).toEqual(names));
  await clock.advance(40_000);
  const second = await rig({ clock, decide: five, identity: "second", config, api: first.api });
  await first.autoscaler.stop();
  await within(clock, 20_000, () => expect(evaluated(second).toSorted()).toEqual(names));
  await clock.advance(40_000);
  for (const { inputs } of [first, second])
    for (const name of names) {
      const times = inputs.filter(({ hpa }) => hpa.metadata?.name === name).map(({ nowMs }) => nowMs);
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(gaps.length).toBeGreaterThanOrEqual(2);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15_000);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(16_000);
    }
});

test("a lease that is lost and had again evaluates no object twice in a period", async () => {
  const clock = manualClock(startMs);
  const config = { coordination: leader, syncPeriodMs: 15_000 };
  const before = (api: FakeApi) => names.forEach((name) => workload(api, name));
  const first = await rig({ clock, decide: five, identity: "first", config, before });
  await within(clock, 20_000, () => expect(evaluated(first).toSorted()).toEqual(names));
  const said = (message: string) => first.log.filter((line) => line.message === message).length;
  for (let n = 1; n <= 4; n++) {
    await clock.advance(4300);
    cutOff(first.api, "first", 8);
    await within(clock, 20_000, () => expect(said("objects lost")).toBe(n));
    await within(clock, 20_000, () => expect(said("objects gained")).toBe(n + 1));
  }
  await clock.advance(30_000);
  for (const name of names) {
    const times = first.inputs.filter(({ hpa }) => hpa.metadata?.name === name).map(({ nowMs }) => nowMs);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15_000);
    // One that was due meanwhile is not left for another period.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(19_000);
  }
});

test("a takeover reads nothing but metrics: the process that waits knows kinds, objects, pods and targets", async () => {
  const clock = manualClock(startMs);
  const config = { coordination: leader, watchScaleTargets: true };
  const first = await rig({
    clock,
    identity: "first",
    config,
    before(api) {
      for (const name of names) {
        workload(api, name);
        const known = api.get("deployments", "default", name);
        const spec = { ...(known.spec as object), selector: { matchLabels: { app: name } } };
        api.put("deployments", { ...known, spec });
      }
    },
  });
  await within(clock, 20_000, () => expect(evaluated(first).toSorted()).toEqual(names));
  const second = await rig({ clock, identity: "second", config, api: first.api });
  await clock.advance(5000);
  await first.autoscaler.stop();
  const since = first.api.requests.length;
  await within(clock, 20_000, () => expect(evaluated(second).toSorted()).toEqual(names));
  const reads = first.api.requests
    .slice(since)
    .filter(({ agent, method, path }) => agent === "second" && method === "GET" && !path.includes("/leases/"))
    .map(({ path }) => path);
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.filter((path) => !path.startsWith("/apis/custom.metrics.k8s.io/v1beta2/"))).toEqual([]);
});

test("a leader that cannot renew stops writing before the lease can be another's", async () => {
  const clock = manualClock(startMs);
  const first = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: leader, syncPeriodMs: 100 },
    before: (api) => workload(api, "shop"),
  });
  await within(clock, 20_000, () => expect(evaluated(first)).toEqual(["shop"]));
  const second = await rig({
    clock,
    decide: five,
    identity: "second",
    config: { coordination: leader, syncPeriodMs: 100 },
    api: first.api,
  });
  cutOff(first.api, "first");
  await within(clock, 20_000, () => expect(second.inputs.length).toBeGreaterThan(0));
  const took = second.inputs[0]?.nowMs ?? 0;
  const last = first.inputs.at(-1)?.nowMs ?? 0;
  expect(last).toBeLessThan(took);
  const count = first.inputs.length;
  await within(clock, 20_000, () => expect(second.inputs.length).toBeGreaterThan(5));
  expect(first.inputs).toHaveLength(count);
});

test("a decision that was under way when the lease was lost is not carried out", async () => {
  const clock = manualClock(startMs);
  let answer = (): void => {};
  const first = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: leader },
    before: (api) => {
      workload(api, "shop");
      api.script("GET", /\/hits$/, () => new Promise((resolve) => (answer = () => resolve(undefined))));
    },
  });
  await within(clock, 20_000, () => expect(first.api.count("GET", /\/hits$/)).toBe(1));
  cutOff(first.api, "first");
  await within(clock, 20_000, () =>
    expect(first.log.some(({ message }) => message === "objects lost")).toBe(true),
  );
  answer();
  // Evaluations under way end before it does.
  await first.autoscaler.stop();
  expect(first.inputs).toEqual([]);
  expect(writes(first.api).filter((line) => line.endsWith("/scale") || line.endsWith("/status"))).toEqual([]);
});

test("a leader that lost its lease drops its old decisions and the series of objects at once", async () => {
  const clock = manualClock(startMs);
  const first = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: leader, syncPeriodMs: 100 },
    before: (api) => workload(api, "shop"),
  });
  await within(clock, 20_000, async () =>
    expect((await reported(first)).series).toContain("plimsoll_hpa_controller_desired_replicas shop"),
  );
  cutOff(first.api, "first");
  await within(clock, 20_000, () =>
    expect(first.log.some(({ message }) => message === "objects lost")).toBe(true),
  );
  expect(await reported(first)).toEqual({ decided: [], series: [] });
});

test("without permission for the lease, the message names the lease and the flag that does without it", async () => {
  const clock = manualClock(startMs);
  const { log } = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: leader },
    before: (api) => api.script("GET", /\/leases/, () => failure(403, "Forbidden", "no leases for you"), 99),
  });
  await within(clock, 20_000, () =>
    expect(log.map(({ fields }) => fields["remedy"])).toContainEqual(
      expect.stringMatching(/lease autoscaler in namespace default.* --leader-elect-resource-namespace/),
    ),
  );
});

/**
 * Objects that two processes decided in turns, and those that no process decided, in the next three periods. A process
 * that takes an object over decides after the former one, and never before it again.
 */
async function owners(clock: ManualClock, processes: readonly Rig[]) {
  const before = processes.map(({ inputs }) => inputs.length);
  await clock.advance(1000);
  const decisions = processes
    .flatMap(({ inputs }, by) =>
      inputs.slice(before[by]).map(({ hpa, nowMs }) => ({ name: hpa.metadata?.name, nowMs, by })),
    )
    .sort((a, b) => a.nowMs - b.nowMs);
  const counts = names.map((name) => {
    const by = decisions.filter((one) => one.name === name).map((one) => one.by);
    return {
      decided: by.length,
      changes: by.filter((one, index) => index > 0 && one !== by[index - 1]).length,
    };
  });
  return {
    twice: counts.filter(({ changes }) => changes > 1).length,
    never: counts.filter(({ decided }) => decided === 0).length,
  };
}

const sharded = (count: number): CoordinationConfig => ({ mode: "shards", shards: count, ...leases });

test.each([
  ["a leader to 4 shards", leader, sharded(4)],
  ["4 shards to 8", sharded(4), sharded(8)],
  ["8 shards to 3", sharded(8), sharded(3)],
  ["4 shards to a leader", sharded(4), leader],
])("a rolling update from %s, and its rollback, gives no object two owners", async (_, from, to) => {
  const clock = manualClock(startMs);
  let api: FakeApi | undefined;
  let serial = 0;
  const start = async (coordination: CoordinationConfig): Promise<Rig> => {
    const process = await rig({
      clock,
      decide: five,
      identity: `process-${++serial}`,
      config: { coordination, syncPeriodMs: 300 },
      before: (fresh) => {
        if (api === undefined) for (const name of names) workload(fresh, name);
      },
      ...(api === undefined ? {} : { api }),
    });
    api = process.api;
    return process;
  };
  let running = [await start(from), await start(from)];
  await within(clock, 30_000, async () =>
    expect(await owners(clock, running)).toEqual({ twice: 0, never: 0 }),
  );
  for (const coordination of [to, from]) {
    const former = running;
    running = [await start(coordination), await start(coordination)];
    for (const ending of former) {
      for (let n = 0; n < 8; n++)
        expect(await owners(clock, [...former, ...running])).toEqual({ twice: 0, never: 0 });
      await ending.autoscaler.stop();
      for (let n = 0; n < 8; n++) expect((await owners(clock, [...former, ...running])).twice).toBe(0);
    }
    await within(clock, 15_000, async () =>
      expect(await owners(clock, running)).toEqual({ twice: 0, never: 0 }),
    );
  }
});
