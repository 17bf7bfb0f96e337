import { expect, test } from "vitest";
import { fakeCluster, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

test("debug", async () => {
  const cluster = fakeCluster();
  putWorkload(cluster, { namespace: "web", name: "api", replicas: 6, usage: "355m", maxReplicas: 10, status: statusOf(6, { cpu: 64 }) });
  for (const args of [["explain", "api", "-n", "web"], ["status", "-A"], ["status", "-n", "web", "-o", "wide"], ["explain", "apj", "-n", "web"], ["explain", "api", "-n", "web", "-o", "json"], ["explain", "deploy/api", "-n", "web", "--steps"], ["explain", "api", "-n", "web", "--why-not", "9"]]) {
    const ran = await run(cluster, args);
    console.log(ran.code, ran.errors, ran.out);
  }
  console.log(cluster.requests.join("\n"));
  expect(1).toBe(1);
});
