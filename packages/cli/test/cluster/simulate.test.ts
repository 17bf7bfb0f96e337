// What an object would do from its newest decision on.
import { expect, test } from "vitest";
import { fakeCluster, run } from "./fake-cluster.ts";
import { putWorkload } from "./workload.ts";

/** Six pods at 71 % of their requests, with a target of 60 %. */
function cluster() {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 6, usage: "355m" });
  return fake;
}

async function simulated(...args: readonly string[]) {
  const { out, code } = await run(cluster(), ["simulate", "shop", "-o", "json", ...args]);
  expect(code).toBe(0);
  return JSON.parse(out) as { readonly changes: readonly { readonly from: number; readonly to: number }[] };
}

test("it goes on with the load that there is", async () => {
  expect(await simulated()).toMatchObject({
    schema: "plimsoll/simulate-object/v1",
    object: { name: "shop" },
    seconds: 1800,
    load: "constant-total",
    changes: [{ afterSeconds: 15, from: 6, to: 8 }],
    final: { replicas: 8 },
  });
});

test("with more of a metric, at once or later, and with another specification", async () => {
  expect((await simulated("--set", "cpu=120%")).changes).toMatchObject([
    { afterSeconds: 15, from: 6, to: 9 },
  ]);
  expect((await simulated("--at", "5m:cpu=150%")).changes).toMatchObject([
    { afterSeconds: 15, from: 6, to: 8 },
    { afterSeconds: 300, from: 8 },
  ]);
  expect(await simulated("--set", "spec.maxReplicas=6")).toMatchObject({
    changes: [],
    final: { replicas: 6, heldBy: "max" },
  });
});

test("a load that each pod brings leads to maxReplicas, and slow pods need more steps", async () => {
  const { changes: perPod } = await simulated("--load", "constant-per-pod");
  expect(perPod.at(-1)?.to).toBe(40);
  const { changes } = await simulated("--ready-after", "5m");
  expect(changes[0]).toMatchObject({ from: 6, to: 8 });
});

test("text", async () => {
  const { out, code } = await run(cluster(), ["simulate", "shop", "--for", "10m"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^HorizontalPodAutoscaler default\/shop -> Deployment\/shop, recomputed now\n/);
  expect(out).toContain("10m on: the load stays as it is, new pods are Ready after 45s\n");
  expect(out).toMatch(/^ +15s +6 → 8 /m);
  expect(out).toContain("ends at 8");
});

test.each([
  [["--set", "cpu"], "--set cpu: use METRIC=TOTAL or a percentage of today's value, such as cpu=120%"],
  [["--set", "cpuu=120%"], "--set or --at cpuu: unknown metric; use one of cpu"],
  [["--at", "cpu=3"], "--at cpu=3: use TIME:METRIC=VALUE, such as 5m:queue_depth=900"],
  [["--for", "48h"], "--for 48h is longer than a day: use a scenario file instead"],
  [["--set", "spec.maxReplica=7"], "there is no such field; did you mean maxReplicas?"],
])("%j is refused", async (args, message) => {
  const { errors, code } = await run(cluster(), ["simulate", "shop", ...args]);
  expect(code).toBe(1);
  expect(errors).toContain(message);
});
