import { expect, test } from "vitest";
import type { ClusterWrite } from "../../src/cluster/cluster.ts";
import { deployment, rig } from "./rig.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const pods = "/api/v1/namespaces/default/pods";

test("each change of the store names who made it", async () => {
  const { cluster, advance, call } = rig();
  const writes: ClusterWrite[] = [];
  cluster.subscribe((write) => writes.push(write));
  await call("POST", deployments, deployment("web", 1));
  await advance(5000);
  cluster.as("user", (store) => store.delete("pods", "default", store.list("pods")[0]?.metadata.name ?? ""));
  const wrote = (resource: string) =>
    new Set(writes.filter(({ event }) => event.resource === resource).map(({ writer }) => writer));
  expect(wrote("deployments.apps")).toEqual(new Set(["tester", "cluster"]));
  expect(wrote("replicasets.apps")).toEqual(new Set(["cluster"]));
  expect(wrote("pods")).toEqual(new Set(["cluster", "user"]));
  const versions = writes.map(({ event }) => event.version);
  expect(versions).toEqual(versions.map((_, index) => (versions[0] ?? 0) + index));
});

test("what the namespace controller removes is not written by who deleted the namespace", async () => {
  const { cluster, call } = rig();
  await call("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  const writes: ClusterWrite[] = [];
  cluster.subscribe((write) => writes.push(write));
  await call("DELETE", "/api/v1/namespaces/shop");
  expect(cluster.store.get("namespaces", undefined, "shop")).toBeUndefined();
  expect(writes.map(({ writer, event }) => `${writer} ${event.type} ${event.resource}`)).toEqual([
    "tester MODIFIED namespaces",
    "cluster DELETED serviceaccounts",
    "cluster DELETED configmaps",
    "cluster DELETED namespaces",
  ]);
});

test("two clusters of one seed are the same to the byte", async () => {
  const run = async (): Promise<string> => {
    const { cluster, advance, call } = rig();
    await call("POST", deployments, deployment("web", 3));
    await call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { generateName: "made-" } });
    await advance(60_000);
    return JSON.stringify(cluster.store.resources().map((resource) => cluster.store.list(resource)));
  };
  expect(await run()).toBe(await run());
});

test("a restore brings back objects and versions, cuts watches, and the controllers go on from there", async () => {
  const { cluster, advance, call, time, watch } = rig();
  await call("POST", deployments, deployment("web", 2));
  await advance(10_000);
  const backup = {
    atMs: time.nowMs,
    version: cluster.store.version,
    pods: cluster.store.list("pods"),
    web: cluster.store.get("deployments.apps", "default", "web"),
  };
  await advance(1000);
  cluster.apply("user", deployment("web", 5));
  await advance(10_000);
  expect(cluster.store.list("pods")).toHaveLength(5);
  const watched = watch(pods, `resourceVersion=${cluster.store.version}&allowWatchBookmarks=true`);
  let restored = 0;
  cluster.onRestore(() => (restored += 1));
  const future = cluster.store.version;

  cluster.restore(backup.atMs);
  expect(restored).toBe(1);
  expect(watched.isEnded).toBe(true);
  expect(cluster.store.version).toBe(backup.version);
  expect(cluster.store.list("pods")).toEqual(backup.pods);
  expect(cluster.store.get("deployments.apps", "default", "web")).toBe(backup.web);
  const gone = watch(pods, `resourceVersion=${String(backup.version - 1)}`);
  expect(gone.frames[0]).toMatchObject({ type: "ERROR", object: { code: 410 } });
  const early = watch(pods, `resourceVersion=${future}&allowWatchBookmarks=true`);

  await advance(120_000);
  expect(cluster.store.list("pods")).toEqual(backup.pods);
  expect(early.frames).toEqual([]);
  expect(early.isEnded).toBe(false);
  cluster.apply("user", deployment("web", 3));
  await advance(10_000);
  expect(cluster.store.list("pods")).toHaveLength(3);
});

test("an API server that lags serves watches and cached reads late, and all others as they are", async () => {
  const { cluster, advance, call, watch } = rig();
  await call("POST", deployments, deployment("web", 1));
  await advance(5000);
  const before = cluster.store.version;
  const cached = async () => (await call("GET", deployments, undefined, "resourceVersion=0")).body["items"];
  const open = watch(deployments, `resourceVersion=${before}&allowWatchBookmarks=true`);
  const catchUp = cluster.addLag(10_000);
  cluster.addLag(20)();
  await call("POST", deployments, { ...deployment("api", 0) });
  await call("DELETE", `${deployments}/web`);
  expect((await call("GET", deployments)).body["items"]).toHaveLength(1);
  expect(await cached()).toMatchObject([{ metadata: { name: "web" } }]);
  expect((await call("GET", `${deployments}/web`, undefined, "resourceVersion=0")).code).toBe(200);
  expect((await call("GET", `${deployments}/web`)).code).toBe(404);
  expect((await call("GET", deployments, undefined, `resourceVersion=${cluster.store.version}`)).code).toBe(
    504,
  );
  const fromNow = watch(deployments, `resourceVersion=${cluster.store.version}`);
  const fromBefore = watch(deployments, `resourceVersion=${before}`);
  await advance(9000);
  expect(open.frames).toEqual([]);
  expect(fromBefore.frames).toEqual([]);
  await advance(2000);
  const seen = (frames: typeof open.frames) =>
    frames.map((frame) => `${nameOf(frame["type"])} ${nameOf(frame["object"]?.["metadata"]?.["name"])}`);
  expect(seen(open.frames)).toContain("ADDED api");
  expect(seen(open.frames)).toContain("DELETED web");
  expect(seen(fromBefore.frames)).toEqual(seen(open.frames));
  expect(seen(fromNow.frames)).not.toContain("DELETED web");
  expect(await cached()).toMatchObject([{ metadata: { name: "api" } }]);

  await call("DELETE", `${deployments}/api`);
  expect(await cached()).toHaveLength(1);
  catchUp();
  expect(await cached()).toHaveLength(0);
  expect(seen(open.frames).at(-1)).toBe("DELETED api");
});

test("of two API servers one may be behind, and a client that moves to it goes back in time", async () => {
  const { cluster, advance, call, watch } = rig();
  await call("POST", deployments, deployment("web", 0));
  await advance(5000);
  const catchUp = cluster.addLag(10_000, "second");
  const cached = async () => (await call("GET", deployments, undefined, "resourceVersion=0")).body["items"];
  await call("POST", deployments, deployment("api", 0));
  const { version } = cluster.store;
  expect(await cached()).toHaveLength(2);

  const moveBack = cluster.addRoute(({ caller }) => (caller === "tester" ? "second" : undefined));
  expect(await cached()).toHaveLength(1);
  const tooNew = await call("GET", deployments, undefined, `resourceVersion=${version}`);
  expect(tooNew).toMatchObject({ code: 504, body: { details: { retryAfterSeconds: 1 } } });
  expect((await call("GET", deployments)).body["items"]).toHaveLength(2);
  expect((await call("DELETE", `${deployments}/api`)).code).toBe(200);
  const behind = watch(deployments, `resourceVersion=${version}`);
  moveBack();
  const ahead = watch(deployments, `resourceVersion=${version}`);
  await advance(5000);
  expect([ahead.frames.length, behind.frames.length]).toEqual([1, 0]);
  await advance(6000);
  expect(behind.frames).toEqual(ahead.frames);
  catchUp();
});

test("a restore brings back both API servers", async () => {
  const { cluster, advance, call, time } = rig();
  cluster.addLag(10_000, "second");
  cluster.addRoute(() => "second");
  const backupMs = time.nowMs;
  await advance(1000);
  await call("POST", deployments, deployment("web", 0));
  cluster.restore(backupMs);
  await call("POST", deployments, deployment("api", 0));
  const cached = async () => (await call("GET", deployments, undefined, "resourceVersion=0")).body["items"];
  expect(await cached()).toEqual([]);
  await advance(11_000);
  expect(await cached()).toMatchObject([{ metadata: { name: "api" } }]);
});

test("versions from before a compaction are gone, and open watches go on", async () => {
  const { cluster, call, watch } = rig();
  await call("POST", deployments, deployment("a", 0));
  const before = cluster.store.version;
  const open = watch(deployments, `resourceVersion=${before}`);
  await call("POST", deployments, deployment("b", 0));
  cluster.compact();
  expect(watch(deployments, `resourceVersion=${before}`).frames[0]).toMatchObject({
    type: "ERROR",
    object: { code: 410 },
  });
  await call("POST", deployments, deployment("c", 0));
  expect(open.frames).toHaveLength(2);
});

test("requests for the metrics APIs go to their server, as the caller", async () => {
  const { cluster, call } = rig();
  const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/requests";
  expect((await call("GET", path)).code).toBe(503);
  cluster.serveMetrics((request) => ({ code: 200, body: JSON.stringify(request) }));
  expect((await call("GET", path)).body).toMatchObject({
    path,
    headers: { "x-remote-user": "tester" },
  });
  const groups = (await call("GET", "/apis")).body["groups"] as unknown as { readonly name: string }[];
  expect(groups.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"]),
  );
});

test("definitions of this project are served, and objects are applied as a user applies them", () => {
  const { cluster } = rig();
  const wla = {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop", namespace: "default" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" }, maxReplicas: 5 },
  };
  cluster.apply("user", wla);
  cluster.apply("user", { ...wla, spec: { ...wla.spec, maxReplicas: 7 } });
  expect(cluster.store.get("workloadautoscalers.autoscaling.plimsoll.dev", "default", "shop")).toMatchObject({
    metadata: { generation: 2 },
    spec: { maxReplicas: 7 },
  });
  expect(() => cluster.apply("user", { ...wla, spec: { maxReplicas: "many" } })).toThrow("spec");
});

function nameOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
