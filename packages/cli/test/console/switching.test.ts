// An autoscaler that appears after the console, and one that goes away, over real sockets.
import { expect, test } from "vitest";
import { putDecisions } from "../cluster/decisions.ts";
import { connecting, leaseOf, startFakeAutoscaler } from "../cluster/fake-autoscaler.ts";
import { nowMs as startMs } from "../cluster/fake-cluster.ts";
import { shopCluster } from "../cluster/workload.ts";
import { startConsole } from "./client.ts";
import { canary, parsed, shop, summary } from "./shop.ts";

const index = "/apis/console/v1";

test("the page goes over to the autoscaler's decisions, and back to recomputed ones", async () => {
  const fake = shopCluster();
  let nowMs = startMs;
  const clock = { nowMs: () => nowMs, after: () => () => undefined };
  const connect = connecting(fake, { clock, token: canary });
  const console = await startConsole(fake, [], { connect, clock });
  const read = await console.signIn();
  expect(parsed(await read(index))).toMatchObject({
    source: "recomputed",
    via: expect.stringMatching(/^recomputed from live data: /),
    parts: { stream: { ok: false }, shadow: { ok: false } },
  });
  expect(parsed(await read(shop))).toMatchObject({ items: [{ source: "recomputed" }] });

  const autoscaler = await startFakeAutoscaler();
  putDecisions(autoscaler, "/apis/decisions/v1");
  fake.put(leaseOf(autoscaler));
  nowMs += 1_000;
  const before = fake.requests.length;
  expect(parsed(await read(index))).toMatchObject({ source: "recomputed" });
  expect(fake.requests.length).toBe(before);
  nowMs += 1_000;
  expect(parsed(await read(index))).toMatchObject({
    source: "recorded",
    via: "port-forward to the autoscaler",
    parts: { stream: { ok: true }, shadow: { ok: true } },
  });
  expect(parsed(await read(shop))).toMatchObject({ items: [{ mode: "shadow" }, { mode: "shadow" }] });

  autoscaler.stop();
  expect((await read(summary)).code).toBe(503);
  nowMs += 16_000;
  await read(index);
  await expect.poll(async () => parsed(await read(index))).toMatchObject({ source: "recomputed" });
  expect((await read(summary)).code).toBe(200);
  expect(console.errors()).toMatch(
    /note: the autoscaler does not answer \(.*\): decisions are recomputed from live data/,
  );
});
