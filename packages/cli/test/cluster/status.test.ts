// Which objects `status` lists, and in which order.
import { expect, test } from "vitest";
import { recorded, shop } from "../golden/inputs.ts";
import { rowBody } from "./decisions.ts";
import { fakeCluster, run } from "./fake-cluster.ts";
import { hpaOf, putWorkload, statusOf } from "./workload.ts";

interface Listed {
  readonly items: readonly {
    readonly name: string;
    readonly source: string;
    readonly countWriter?: string;
  }[];
  readonly counts: object;
  readonly errors: readonly { readonly object: string }[];
  readonly notes: readonly string[];
}

function cluster() {
  const fake = fakeCluster();
  putWorkload(fake, {
    namespace: "a",
    name: "steady",
    replicas: 3,
    usage: "300m",
    metadata: { labels: { team: "x" } },
  });
  putWorkload(fake, { namespace: "b", name: "moving", replicas: 6, usage: "355m" });
  putWorkload(fake, { namespace: "c", name: "capped", replicas: 4, usage: "900m", maxReplicas: 4 });
  putWorkload(fake, { namespace: "d", name: "broken", replicas: 2 });
  fake.reply("/apis/metrics.k8s.io/v1beta1/namespaces/d/pods", "no answer", 503);
  return fake;
}

async function listed(fake: ReturnType<typeof cluster>, ...args: readonly string[]) {
  const { out, code, errors } = await run(fake, ["status", "-o", "json", ...args]);
  return { ...(JSON.parse(out) as Listed), code, stderr: errors };
}

test("all objects with their counts, and who wrote the replicas", async () => {
  const { items, counts } = await listed(cluster(), "-A");
  expect(items.map(({ name }) => name)).toEqual(["steady", "moving", "capped", "broken"]);
  expect(counts).toEqual({ steady: 1, moving: 1, limited: 1, failed: 1 });
  expect(items[0]?.countWriter).toBe("kubectl");
});

test.each<[readonly string[], readonly string[]]>([
  [
    ["-A", "--problem"],
    ["capped", "broken"],
  ],
  [
    ["-A", "--sort-by=held"],
    ["broken", "capped", "moving", "steady"],
  ],
  [
    ["-A", "--sort-by=ratio"],
    ["capped", "moving", "steady", "broken"],
  ],
  [["-A", "-l", "team=x"], ["steady"]],
  [["-n", "b"], ["moving"]],
  [["-A", "--since=1h"], []],
])("%j", async (args, names) => {
  expect((await listed(cluster(), ...args)).items.map(({ name }) => name)).toEqual(names);
});

test("a row without bounds has those of the specification", async () => {
  const fake = fakeCluster({ hasApiService: true });
  putWorkload(fake, { name: "shop", replicas: 8, usage: "170m" });
  const row = rowBody(recorded(shop), { min: null, max: null });
  fake.reply("/apis/explain.plimsoll.dev/v1/namespaces/default/summary", { items: [row] });
  expect((await listed(fake)).items).toMatchObject([{ source: "recorded", minReplicas: 2, maxReplicas: 40 }]);
});

test("--limit leaves the rest to their status, and counts them", async () => {
  const { items } = await listed(cluster(), "-A", "--limit=1");
  expect(items.map(({ source }) => source)).toEqual(["recomputed", "status", "status", "status"]);
  const { out } = await run(cluster(), ["status", "-A", "--limit=1"]);
  expect(out).toMatch(/^4 objects: .*; 3 status only$/m);
});

test("who wrote the replicas is read of no more than --limit objects", async () => {
  const fake = cluster();
  const { items, notes } = await listed(fake, "-A", "--limit=1");
  expect(items.map(({ countWriter }) => countWriter)).toEqual(["kubectl", undefined, undefined, undefined]);
  expect(fake.requests.filter((one) => /\/deployments\/[^/]+$/.test(one))).toHaveLength(1);
  expect(notes).toContain("read who wrote the replicas for the first 1 of 4 objects only (--limit)");
});

test("objects by name: what cannot be read is listed, the others are printed, and the end is 1", async () => {
  const { items, errors, code, stderr } = await listed(cluster(), "-n", "b", "moving", "absent");
  expect(items.map(({ name }) => name)).toEqual(["moving"]);
  expect(errors).toMatchObject([{ object: "absent" }]);
  expect(code).toBe(1);
  expect(stderr).toContain('error: absent: no HorizontalPodAutoscaler or WorkloadAutoscaler "absent"');
});

test("-w lists again until it is interrupted", async () => {
  const fake = cluster();
  const interrupted = new AbortController();
  let lists = 0;
  const { out, code } = await run(fake, ["status", "-n", "b", "-w"], {
    signal: interrupted.signal,
    clock: {
      nowMs: () => Date.parse("2026-11-22T10:00:02Z"),
      after: (_, done) => {
        lists += 1;
        if (lists === 2) queueMicrotask(() => interrupted.abort(new Error("interrupted")));
        else queueMicrotask(done);
        return () => undefined;
      },
    },
    connect: () => Promise.resolve(fake.connection({ nowMs: () => 0, after: () => () => undefined })),
  });
  expect(code).toBe(130);
  expect(out.match(/^moving /gm)).toHaveLength(2);
});

test("a HPA whose status says that a window holds it", async () => {
  const fake = fakeCluster();
  fake.put(
    hpaOf({ name: "held", replicas: 5, status: statusOf(5, { cpu: 20, able: "ScaleDownStabilized" }) }),
  );
  const { out } = await run(fake, ["status", "--limit=0", "-o", "wide"]);
  expect(out).toMatch(/held +Deployment\/held +none +5 +\? +2-40 +cpu +0\.333 +stabilize .*status only/);
});
