// What `explain` recomputes, how it compares with the status, and what it does with less.
import { decodeRecord, replay } from "@plimsoll/core";
import { expect, test } from "vitest";
import { fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { hpaOf, putWorkload, statusOf, type WorkloadOptions } from "./workload.ts";

function cluster(options: Partial<WorkloadOptions> = {}) {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 6, usage: "355m", ...options });
  return fake;
}

async function explained(fake: ReturnType<typeof cluster>, ...args: readonly string[]) {
  const ran = await run(fake, ["explain", "shop", "-o", "json", ...args]);
  return { ...ran, document: JSON.parse(ran.out) as Readonly<Record<string, unknown>> };
}

const managerPod = (...args: readonly string[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "kcm", namespace: "kube-system", labels: { component: "kube-controller-manager" } },
  spec: { containers: [{ name: "kcm", command: ["kube-controller-manager", ...args] }] },
});

test("the status agrees when it says the same", async () => {
  const { document, code } = await explained(cluster({ usage: "300m", status: statusOf(6, { cpu: 60 }) }));
  expect(code).toBe(0);
  expect(document).toMatchObject({
    source: "recomputed",
    summary: { current: 6, desired: 6, heldBy: "none" },
    comparison: { with: "kube-controller-manager", verdict: "agrees", difference: null },
    history: "does-not-matter",
  });
});

test("a value that has moved and changes nothing is said to be that", async () => {
  const fake = cluster({ usage: "305m", status: statusOf(6, { cpu: 64 }) });
  const { out } = await run(fake, ["explain", "shop"]);
  expect(out).toContain(
    " agrees on 6; it was computed when cpu was 64% (1.067 is within 0.9–1.1), now it is 61%",
  );
});

test("a status of fewer replicas agrees in words when its values give the same", async () => {
  const fake = cluster({ replicas: 3, usage: "300m", status: statusOf(2, { cpu: 90, desired: 3 }) });
  const { out } = await run(fake, ["explain", "shop"]);
  expect(out).toContain(" agrees on 3; it was computed when there were 2 replicas, now there are 3");
});

test("the row shows the ratio of both passes, and an HPA at its maximum is a problem at once", async () => {
  const fake = cluster({ replicas: 6, usage: "355m", maxReplicas: 6, status: statusOf(6, { cpu: 71 }) });
  const pods = [0, 1, 2, 3].map((index) => ({
    metadata: { name: `shop-${index}`, namespace: "default" },
    timestamp: "2026-11-22T10:00:00Z",
    window: "15s",
    containers: [{ name: "app", usage: { cpu: "700m" } }],
  }));
  fake.usage("default", pods);
  const { out } = await run(fake, ["explain", "shop"]);
  expect(out).toContain("2.333, then 1.55 ");
  expect(out.split("\n")[0]).toContain("maxReplicas is 6");
  expect(out).toMatch(/\nFix: raise spec\.maxReplicas to 10, or the target of the metric\n$/);
  const { out: listed } = await run(fake, ["status", "--problem"]);
  expect(listed).toContain("shop");
});

test("a status of another specification is lagging", async () => {
  const { document } = await explained(
    cluster({ status: statusOf(6, { cpu: 71 }), metadata: { generation: 2 } }),
  );
  expect(document).toMatchObject({ comparison: { verdict: "lagging" } });
});

test("the arguments of the controller are read where they may be, and nothing is assumed then", async () => {
  const fake = cluster();
  fake.put(
    managerPod("--horizontal-pod-autoscaler-tolerance=0.3", "--horizontal-pod-autoscaler-sync-period=5s"),
  );
  const { document } = await explained(fake);
  expect(document).toMatchObject({ summary: { desired: 6, heldBy: "tolerance" }, assumptions: [] });
});

test("flags overrule what is assumed", async () => {
  const { document } = await explained(
    cluster(),
    "--tolerance=0.3",
    "--cpu-initialization-period=1m",
    "--initial-readiness-delay=1s",
    "--sync-period=5s",
  );
  expect(document).toMatchObject({
    summary: { heldBy: "tolerance" },
    assumptions: [
      {
        about: "downscale stabilization",
        value: "5m",
        why: "cannot read the controller's flags",
        isFlag: true,
      },
    ],
  });
});

test("--semantics chooses the rules", async () => {
  const behavior = { scaleUp: { tolerance: "0.5" } };
  const fake = cluster({ behavior });
  expect((await explained(fake)).document).toMatchObject({ summary: { heldBy: "tolerance" } });
  expect((await explained(fake, "--semantics=1.32")).document).toMatchObject({ summary: { heldBy: "none" } });
});

test("--fail-on-difference ends with 2 when the status differs, and names what could explain it", async () => {
  const fake = cluster({ status: statusOf(6, { cpu: 71 }) });
  const { document, code } = await explained(fake, "--fail-on-difference");
  expect(document).toMatchObject({ comparison: { verdict: "differs" } });
  expect(JSON.stringify(document["comparison"])).toContain("tolerance");
  expect(code).toBe(2);
  const { out } = await run(fake, ["explain", "shop"]);
  expect(out).toContain("says 6: DIFFERS at ");
  expect(out).toContain("explained by tolerance");
});

test("--settle waits for the status, two sync periods at most", async () => {
  const fake = cluster({ status: statusOf(6, { cpu: 71 }) });
  let now = nowMs;
  const delays: number[] = [];
  const clock = {
    nowMs: () => now,
    after: (delayMs: number, done: () => void) => {
      delays.push(delayMs);
      now += delayMs;
      if (delays.length === 3)
        fake.put(hpaOf({ name: "shop", replicas: 6, status: statusOf(6, { cpu: 64 }) }));
      queueMicrotask(done);
      return () => undefined;
    },
  };
  const quick = fake.connection({ nowMs: () => nowMs, after: () => () => undefined });
  const { out } = await run(fake, ["explain", "shop", "--settle", "-o", "json"], {
    clock,
    nowMs: () => now,
    connect: () => Promise.resolve(quick),
  });
  expect(JSON.parse(out)).toMatchObject({ comparison: { verdict: "moved" } });
  expect(delays.filter((ms) => ms === 2_000)).toHaveLength(3);
});

test.each([
  ["pods", /v1\/namespaces\/default\/pods$/],
  ["the metrics", /metrics\.k8s\.io\/v1beta1\/namespaces/],
  ["the scale", /\/scale$/],
])("without the right to read %s only the status is shown", async (_, paths) => {
  const fake = cluster({ status: statusOf(6, { cpu: 64 }) });
  fake.put({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default" },
    reason: "SuccessfulRescale",
    message: "New size: 6; reason: cpu above target",
    lastTimestamp: "2026-11-22T09:56:00Z",
    involvedObject: { uid: "uid-shop" },
  });
  fake.deny(paths);
  const { document } = await explained(fake);
  expect(document).toMatchObject({
    source: "status",
    decision: null,
    summary: { current: 6, heldBy: "tolerance" },
    errors: [{ object: "default/shop", message: expect.stringContaining("is forbidden: User") }],
  });
  expect(JSON.stringify(document["notes"])).not.toContain("is forbidden");
  const { out, code } = await run(fake, ["explain", "shop"]);
  expect(code).toBe(0);
  expect(out).toContain("status only");
  expect(out).toContain("is forbidden: User");
  expect(out).toContain("ValidMetricFound");
  expect(out).toContain("Events:\n  4m2s  SuccessfulRescale  New size: 6; reason: cpu above target");
});

test("without the right to read events the past is known less, and the rest is as before", async () => {
  const fake = cluster();
  fake.deny(/events$/);
  const { document } = await explained(fake);
  expect(document).toMatchObject({ source: "recomputed", summary: { desired: 8 } });
  expect(document["errors"]).toEqual([
    { object: "default/shop", message: expect.stringContaining("cannot read events: ") },
  ]);
  expect((await run(fake, ["explain", "shop"])).errors).toContain("note: cannot read events: ");
});

test("a metrics API that fails is a failed metric, as the controller sees it", async () => {
  const fake = cluster();
  fake.reply(
    "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
    "the server is currently unable to handle the request",
    503,
  );
  const { document } = await explained(fake);
  expect(document).toMatchObject({ source: "recomputed", summary: { heldBy: "failed", action: "none" } });
  const { out } = await run(fake, ["explain", "shop"]);
  expect(out).toContain("FailedGetResourceMetric");
});

test("another HPA that selects the same pods makes both ambiguous", async () => {
  const fake = cluster();
  fake.put(
    hpaOf({
      name: "twin",
      replicas: 6,
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" } },
    }),
  );
  expect((await explained(fake)).document).toMatchObject({ summary: { heldBy: "selector", action: "none" } });
});

test("-o name is kubectl's name of the object", async () => {
  const { out, code } = await run(cluster(), ["explain", "shop", "-o", "name"]);
  expect([code, out]).toEqual([0, "horizontalpodautoscaler.autoscaling/shop\n"]);
});

test("-o record can be replayed", async () => {
  const { out } = await run(cluster(), ["explain", "shop", "-o", "record"]);
  const record = decodeRecord(out);
  expect(replay(record).decision.desiredReplicas).toBe(8);
  expect(record.result.decision.desiredReplicas).toBe(8);
});

test("--at, --back and --diff are for recorded decisions: a note says so", async () => {
  const { code, errors } = await run(cluster(), ["explain", "shop", "--via=none", "--back=2", "--diff"]);
  expect([code, errors]).toEqual([
    0,
    "note: --back needs recorded decisions, but this one is recomputed from live data\n" +
      "note: --diff: no decision before this one is recorded\n",
  ]);
  expect((await run(cluster(), ["explain", "shop", "--at=2026-11-22T09:00:00Z"])).errors).toContain(
    "note: --at needs",
  );
});

test("--steps has every step, --full every pod, Markdown a table", async () => {
  const steps = await run(cluster(), ["explain", "shop", "--steps"]);
  expect(steps.out).toMatch(/^ {2}stabilize {4}8 {2}no change/m);
  const full = await run(cluster(), ["explain", "shop", "--full"]);
  expect(full.out).toContain("shop-5 (355m of 500m)");
  const markdown = await run(cluster(), ["explain", "shop", "-o", "markdown"]);
  expect(markdown.out).toContain("| cpu, % of requests | 71% | 60% | 1.183 | 8 | decides |");
});

test("what the rules of the doctor find in the decision is named", async () => {
  const fake = cluster({
    replicas: 4,
    maxReplicas: 4,
    usage: "900m",
    status: statusOf(4, { cpu: 180, limited: "TooManyReplicas" }),
  });
  const { out } = await run(fake, ["explain", "shop"]);
  expect(out).toMatch(
    /^Findings: PL-030 at maxReplicas for 20m\S* while metrics call for 12: raise maxReplicas/m,
  );
  expect((await explained(fake)).document).toMatchObject({
    findings: [{ id: "PL-030", severity: "warn", object: { name: "shop" } }],
  });
});

test("--why-not is part of the document", async () => {
  const { document } = await explained(cluster(), "--why-not=9");
  expect(document).toMatchObject({ whyNot: { n: 9, is: "metrics" } });
});

test("a WorkloadAutoscaler without its autoscaler is shown by its status", async () => {
  const fake = fakeCluster();
  fake.put({
    ...hpaOf({ name: "shop", replicas: 6, status: statusOf(6, { cpu: 64 }) }),
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
  });
  expect((await explained(fake)).document).toMatchObject({
    source: "status",
    object: { resource: "workloadautoscalers" },
  });
});
