// What explain, status and doctor say about another client that writes an object, by the autoscaler's own state.
import type { OtherWriter } from "@plimsoll/core";
import { expect, test } from "vitest";
import { recorded, shop } from "../golden/inputs.ts";
import { loggedOf, recordBody, rowBody } from "./decisions.ts";
import { connecting, leaseOf, startFakeAutoscaler } from "./fake-autoscaler.ts";
import { run } from "./fake-cluster.ts";
import { shopCluster } from "./workload.ts";

const base = "/apis/decisions/v1";

const argocd: OtherWriter = {
  by: "argocd-controller",
  writes: "replicas",
  count: 14,
  since: "2026-11-22T09:00:00.000Z",
  lastAt: "2026-11-22T09:58:00.000Z",
  retryAt: "2026-11-22T10:02:00.000Z",
};
const installation: OtherWriter = { ...argocd, by: "another plimsoll-autoscaler", writes: "status" };

async function setUp(logged: object, row: object = {}) {
  const fake = shopCluster();
  const autoscaler = await startFakeAutoscaler();
  const now = recorded(shop);
  const object = `${base}/namespaces/default/horizontalpodautoscalers/shop`;
  const rows = { items: [rowBody(now, row)], total: 1, counts: { held: 1 } };
  autoscaler.reply(object, { items: [loggedOf(now, logged)] });
  autoscaler.reply(`${object}/record`, recordBody(now));
  autoscaler.reply(`${base}/summary`, rows);
  autoscaler.reply(`${base}/namespaces/default/summary`, rows);
  fake.put(leaseOf(autoscaler));
  const connect = connecting(fake);
  return (args: readonly string[]) => run(fake, args, { connect });
}

const active = { mode: "active", applied: "withheld", builtIn: undefined, verdict: undefined };

test("explain: who sets the replicas back, and the finding with its fix", async () => {
  const plimsoll = await setUp({ ...active, otherWriter: argocd });
  const { out, errors } = await plimsoll(["explain", "shop"]);
  expect(errors).toContain(
    "note: argocd-controller has changed the replicas back 14 times since 2026-11-22T09:00:00Z, most recently at 2026-11-22T09:58:00Z. The autoscaler writes them again at 2026-11-22T10:02:00Z",
  );
  expect(out).toContain("PL-005");
  expect(out).not.toContain("Built-in controller");
  const document = JSON.parse((await plimsoll(["explain", "shop", "-o", "json"])).out) as object;
  expect(document).toMatchObject({ otherWriter: argocd, comparison: null });
});

test("explain: a status is compared as that of its writer", async () => {
  const plimsoll = await setUp({ yieldedTo: installation.by, otherWriter: installation });
  const { out } = await plimsoll(["explain", "shop"]);
  expect(out).toContain("Status of another plimsoll-autoscaler: agrees");
  expect(out).not.toContain("Built-in controller");
});

test("status: a note, and among the problems", async () => {
  const note = "argocd-controller changed the replicas back 14 times";
  const plimsoll = await setUp({ ...active, otherWriter: argocd }, { otherWriter: argocd, note });
  const { out } = await plimsoll(["status", "--problem", "-n", "default"]);
  expect(out).toMatch(/shop .*argocd-controller changed the replicas back 14 times/);
  const quiet = await setUp(active);
  expect((await quiet(["status", "--problem", "-n", "default"])).out).not.toContain("shop");
});

test("doctor: by the state of the autoscaler, where no event is left", async () => {
  const only = ["doctor", "shop", "-n", "default", "--only=PL-005"];
  const plimsoll = await setUp({ ...active, otherWriter: argocd });
  const { code, out } = await plimsoll(only);
  expect(code).toBe(2);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "ERROR PL-005 another client sets the replicas back argocd-controller has changed the replicas back 14 times since",
  );
  expect((await (await setUp(active))(only)).code).toBe(0);
});
