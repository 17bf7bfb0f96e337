import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import type { CoordinationConfig } from "../../../src/leadership/coordination.ts";
import { type FakeApi, failure } from "../../fake-api.ts";
import { deployment, hpa, pod, type Rig, rig, wanting } from "../../harness.ts";

const shards: CoordinationConfig = {
  mode: "shards",
  shards: 4,
  leaseDurationMs: 2000,
  renewDeadlineMs: 1200,
  retryPeriodMs: 200,
  resourceName: "autoscaler",
  resourceNamespace: "default",
};
const names = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"];
const keys = names.map((name) => `default/${name}`);
const three = wanting(() => 3);

/** Each has a Deployment of its own, and all of these select the same pods. */
function overlapping(api: FakeApi, names: readonly string[]): void {
  for (const name of names) {
    api.put("deployments", {
      ...deployment(name),
      spec: { replicas: 3, selector: { matchLabels: { app: "shared" } } },
    });
    api.put("horizontalpodautoscalers", hpa(name));
  }
  for (let n = 0; n < 3; n++) api.put("pods", pod(`shared-${n}`, "shared"));
}

/** The objects that each object was said to share pods with, last. */
function ambiguous(rigs: readonly Pick<Rig, "inputs">[]): ReadonlyMap<string, readonly string[]> {
  const last = new Map<string, readonly string[]>();
  for (const { inputs } of rigs)
    for (const { hpa, ambiguousWith = [] } of inputs) last.set(hpa.metadata?.name ?? "", ambiguousWith);
  return last;
}

test("objects of several shards that select the same pods know of each other", async () => {
  const config = { coordination: shards, syncPeriodMs: 200 };
  const first = await rig({
    decide: three,
    identity: "first",
    config,
    before: (api) => overlapping(api, names),
  });
  const second = await rig({ decide: three, identity: "second", config, api: first.api });
  await eventually(() => {
    for (const { autoscaler } of [first, second]) {
      const count = autoscaler.decisions.latest().length;
      expect([count > 0, count < names.length]).toEqual([true, true]);
    }
    const all = ambiguous([
      { ...first, inputs: first.inputs.slice(-20) },
      { ...second, inputs: second.inputs.slice(-20) },
    ]);
    for (const name of names) expect(all.get(name)).toEqual(keys);
  });
});

test("an object whose target cannot be read for now still selects its pods", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: three,
    before: (api) => overlapping(api, ["a1", "b2"]),
  });
  await autoscaler.sync();
  const unread = () => inputs.filter(({ hpa, scale }) => hpa.metadata?.name === "b2" && !scale.ok);
  api.script("GET", /\/deployments\/b2\/scale$/, () => failure(503, "ServiceUnavailable", "no"), 100);
  await autoscaler.sync();
  await autoscaler.sync();
  expect(unread()).not.toEqual([]);
  expect(ambiguous([{ inputs }]).get("a1")).toEqual(keys.slice(0, 2));
});

test("an object whose target is gone, or at zero, is in no other object's way", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: three,
    before: (api) => overlapping(api, ["a1", "b2", "c3"]),
  });
  await autoscaler.sync();
  await autoscaler.sync();
  expect(ambiguous([{ inputs }]).get("a1")).toEqual(keys.slice(0, 3));
  api.remove("deployments", "default", "b2");
  const known = api.get("deployments", "default", "c3");
  api.put("deployments", { ...known, spec: { ...(known.spec as object), replicas: 0 } });
  await autoscaler.sync();
  await autoscaler.sync();
  expect(ambiguous([{ inputs }]).get("a1")).toEqual([]);
});
