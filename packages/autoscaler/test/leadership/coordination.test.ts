import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { CoordinationConfig } from "../../src/leadership/coordination.ts";
import { type FakeApi, failure } from "../fake-api.ts";
import { type Rig, rig, wanting, within, workload, writes } from "../harness.ts";

const leases = {
  leaseDurationMs: 2000,
  renewDeadlineMs: 1200,
  retryPeriodMs: 200,
  resourceName: "autoscaler",
  resourceNamespace: "default",
};
const leader: CoordinationConfig = { mode: "leader", ...leases };
const shards: CoordinationConfig = { mode: "shards", shards: 4, ...leases };
const names = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"];
const startMs = Date.parse("2030-01-01T00:00:00Z");
const five = wanting(() => 5);

/** From now on the lease requests of this one fail, as behind a broken link. */
function cutOff(api: FakeApi, identity: string): void {
  const isIts = (body: unknown) => JSON.stringify(body ?? null).includes(identity);
  for (const method of ["PUT", "POST"]) {
    api.script(
      method,
      /\/leases/,
      ({ body }) => (isIts(body) ? failure(503, "ServiceUnavailable", "cut off") : undefined),
      100_000,
    );
  }
}

function evaluated({ autoscaler }: Rig): readonly string[] {
  return autoscaler.decisions.latest().map(({ name }) => name);
}

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

test("shards divide the objects, each has one process, and a lost process's are taken over", async () => {
  const clock = manualClock(startMs);
  const config = { coordination: shards, syncPeriodMs: 300 };
  const first = await rig({
    clock,
    decide: five,
    identity: "first",
    config,
    before: (api) => {
      for (const name of names) workload(api, name);
    },
  });
  await within(clock, 20_000, () => expect([...evaluated(first)].sort()).toEqual(names));
  const second = await rig({
    clock,
    decide: five,
    identity: "second",
    config,
    api: first.api,
  });
  await within(clock, 20_000, () => expect(evaluated(second).length).toBeGreaterThan(0));
  await within(clock, 20_000, async () => {
    const before = [first.inputs.length, second.inputs.length] as const;
    await within(clock, 20_000, () => expect(second.inputs.length).toBeGreaterThan(before[1] + 16));
    const by = (rig: Rig, since: number) =>
      new Set(rig.inputs.slice(since).map(({ hpa }) => hpa.metadata?.name ?? ""));
    const [one, two] = [by(first, before[0]), by(second, before[1])];
    expect([...one].filter((name) => two.has(name))).toEqual([]);
    expect([...one, ...two].sort()).toEqual(names);
  });
  cutOff(first.api, "first");
  const sinceMs = clock.nowMs();
  await within(clock, 20_000, () => {
    const fresh = second.inputs.filter(({ nowMs }) => nowMs > sinceMs).map(({ hpa }) => hpa.metadata?.name);
    expect(new Set(fresh)).toEqual(new Set(names));
  });
  expect(writes(first.api).filter((line) => line.endsWith("/scale"))).toHaveLength(names.length);
});

/** Objects that a process reports: those with decisions, and those that a series names. */
async function reported(one: Rig): Promise<{ readonly decided: string[]; readonly series: string[] }> {
  const text = await (await fetch(`${one.url}/metrics`)).text();
  const named = /^(plimsoll_\w+)\{[^}]*\b(?:hpa_name|horizontalpodautoscaler)="([^"]+)"/gm;
  const series = [...text.matchAll(named)].map(([, name, object]) => `${name} ${object}`);
  return { decided: [...evaluated(one)].sort(), series: [...new Set(series)].sort() };
}

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

test("of shards one process reports each object, also after another one took it over", async () => {
  const clock = manualClock(startMs);
  const config = { coordination: shards, syncPeriodMs: 300 };
  const first = await rig({
    clock,
    decide: five,
    identity: "first",
    config,
    before: (api) => {
      for (const name of names) workload(api, name);
    },
  });
  await within(clock, 20_000, async () => expect((await reported(first)).decided).toEqual(names));
  const second = await rig({
    clock,
    decide: five,
    identity: "second",
    config,
    api: first.api,
  });
  await within(clock, 20_000, async () => {
    const [one, two] = [await reported(first), await reported(second)];
    expect(two.decided.length).toBeGreaterThan(0);
    expect([...one.decided, ...two.decided].sort()).toEqual(names);
    expect(one.series.filter((text) => two.series.includes(text))).toEqual([]);
  });
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

test("the metric says how many shards a process owns", async () => {
  const clock = manualClock(startMs);
  const { url } = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: shards },
  });
  await within(clock, 20_000, async () => {
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("plimsoll_shards_owned 4");
  });
});
