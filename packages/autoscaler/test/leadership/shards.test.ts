// Shards among processes, and what they need.
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { type Rig, rig, within, workload, writes } from "../harness.ts";
import { cutOff, evaluated, five, names, reported, shards, startMs } from "./leases.ts";

test("shards split the objects, each has one process, and a lost process's are taken over", async () => {
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

test("without permission to list the leases of shards, the message names the rights that shards need", async () => {
  const clock = manualClock(startMs);
  const { log } = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: shards },
    before: (api) => api.script("GET", /\/leases$/, () => failure(403, "Forbidden", "no lists for you"), 99),
  });
  await within(clock, 20_000, () =>
    expect(log.map(({ fields }) => fields["remedy"])).toContainEqual(
      expect.stringMatching(/list, .* on leases in namespace default .*component "shards"/),
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

test("the lease that shards share does not announce the leader of before", async () => {
  const clock = manualClock(startMs);
  const serving = {
    "autoscaling.plimsoll.dev/serving": JSON.stringify({ pod: "old", address: "10.0.0.1:1" }),
  };
  const { api } = await rig({
    clock,
    decide: five,
    identity: "first",
    config: { coordination: shards },
    before(fresh) {
      const metadata = { name: "autoscaler", namespace: "default", annotations: serving };
      fresh.put("leases", { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: {} });
    },
  });
  await within(clock, 20_000, () =>
    expect(api.get("leases", "default", "autoscaler").spec).toMatchObject({ holderIdentity: "4 shards" }),
  );
  const { annotations } = api.get("leases", "default", "autoscaler").metadata as { annotations?: object };
  expect(JSON.stringify(annotations)).not.toContain("old");
});
