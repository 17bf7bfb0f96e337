import { metricRuleCrd } from "@plimsoll/metrics-adapter/testing";
import { expect, test } from "vitest";
import { autoscalerConfig } from "../../src/autoscaler/flags.ts";
import { createCluster } from "../../src/cluster/cluster.ts";
import { crowdNamespace } from "../../src/objects/crowd.ts";
import { drawSetup } from "../../src/objects/draw-setup.ts";
import { createRandom } from "../../src/random/random.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

const seeds = Array.from({ length: 100 }, (_, seed) => seed);
const setups = seeds.map((seed) => drawSetup(createRandom(seed)));

test("whatever is drawn, the API server takes it and the autoscaler its flags", () => {
  // Of each setup the API server takes many objects: a few setups are enough.
  for (const [seed, setup] of setups.slice(0, 20).entries()) {
    const cluster = createCluster({
      time: createVirtualTime(0),
      random: createRandom(seed),
      definitions: [metricRuleCrd],
    });
    for (const object of setup.objects) cluster.apply("user", object);
    expect(autoscalerConfig(setup).coordination.mode).toBe(setup.coordination);
  }
});

test("the same seed draws the same, as plain JSON", () => {
  for (const [seed, setup] of setups.slice(0, 20).entries()) {
    expect(drawSetup(createRandom(seed))).toEqual(setup);
    expect(JSON.parse(JSON.stringify(setup))).toEqual(setup);
  }
});

test("about twenty objects are drawn, of every kind, mode and type of metric", () => {
  const kinds = new Map<string, number>();
  const count = (name: string) => kinds.set(name, (kinds.get(name) ?? 0) + 1);
  for (const { coordination, objects } of setups) {
    count(coordination);
    const scaling = objects.filter(
      ({ kind, metadata }) => kind.endsWith("Autoscaler") && metadata.namespace !== crowdNamespace,
    );
    expect(scaling.length).toBeGreaterThan(10);
    expect(scaling.length).toBeLessThan(35);
    for (const { kind, ...object } of scaling) {
      const { mode, metrics, schedules, behavior, scaleTargetRef } = object["spec"] as {
        readonly mode?: string;
        readonly metrics?: readonly { readonly type: string }[];
        readonly schedules?: unknown;
        readonly behavior?: unknown;
        readonly scaleTargetRef: { readonly kind: string };
      };
      for (const name of [kind, mode, scaleTargetRef.kind, ...(metrics ?? []).map(({ type }) => type)])
        if (name !== undefined) count(name);
      if (schedules !== undefined) count("schedules");
      if (behavior !== undefined) count("behavior");
    }
  }
  expect([...kinds.keys()].sort()).toEqual(
    expect.arrayContaining([
      "leader",
      "shards",
      "alone",
      "Active",
      "Shadow",
      "Paused",
      "schedules",
      "behavior",
      "Resource",
      "ContainerResource",
      "Pods",
      "Object",
      "External",
      "HorizontalPodAutoscaler",
      "WorkloadAutoscaler",
      "CronHorizontalPodAutoscaler",
      "Deployment",
      "StatefulSet",
    ]),
  );
});

test("a seventh of the setups have a crowd besides", () => {
  const crowds = setups.map(({ objects }) =>
    objects.filter(({ metadata }) => metadata.namespace === crowdNamespace),
  );
  const sizes = crowds.map(({ length }) => length).filter((length) => length > 0);
  expect(sizes.length).toBeGreaterThan(crowds.length / 20);
  expect(sizes.length).toBeLessThan(crowds.length / 4);
  for (const size of sizes) expect(size).toBeGreaterThan(45);
});
