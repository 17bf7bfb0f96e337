import { getEventListeners } from "node:events";
import { manualClock } from "@plimsoll/component-base/testing";
import { parseSelector } from "@plimsoll/core/selector";
import { ApiError, createReflector, type KubeClient, type Reflector } from "@plimsoll/kube";
import type { ClusterResource } from "@plimsoll/rules";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createObjects } from "../../src/objects/objects.ts";
import { type ObservedObject, projectObject } from "../../src/objects/observed-object.ts";
import { fakeCluster, infoOf, pod } from "../backends/prometheus/cluster.ts";
import { failureIn, valueOf, waitFor } from "../backends/prometheus/harness.ts";

const lookUp = async (): Promise<undefined> => undefined;
const everything = parseSelector("");

test("one reflector for a resource, however often it is requested", async () => {
  const cluster = fakeCluster({
    pods: [pod("ns", "a", { x: "1" }), pod("ns", "b"), pod("two", "c", { x: "1" })],
  });
  const objects = createObjects({
    reflect: (info) => cluster.reflect(info),
    lookUp,
    clock: manualClock(0),
    log: silentLog,
  });
  const signal = () => new AbortController().signal;
  const names = async (namespace: string | undefined, selector: string): Promise<readonly string[]> =>
    valueOf(
      await objects.select({
        info: infoOf("pods"),
        namespace,
        selector: parseSelector(selector),
        caller: { signal },
      }),
    ).objects.map(({ metadata }) => metadata.name);
  expect(await names("ns", "")).toEqual(["a", "b"]);
  expect(await names("ns", "x=1")).toEqual(["a"]);
  expect(await names(undefined, "x=1")).toEqual(["a", "c"]);
  expect(
    valueOf(await objects.get({ info: infoOf("pods"), namespace: "two", name: "c", caller: { signal } }))
      ?.phase,
  ).toBe("Running");
  expect(cluster.watched).toEqual(["pods"]);
});

test("a resource that cannot be listed is unavailable, with the reason", async () => {
  const clock = manualClock(0);
  let fail: (error: unknown) => void = () => undefined;
  const objects = createObjects({
    clock,
    lookUp,
    log: silentLog,
    syncTimeoutMs: 5_000,
    reflect: (_info, onError) => {
      fail = onError;
      return neverSynced();
    },
  });
  const select = objects.select({
    info: infoOf("deployments.apps"),
    namespace: "ns",
    selector: everything,
    caller: { signal: () => new AbortController().signal },
  });
  fail(new Error("deployments.apps is forbidden"));
  await clock.advance(5_000);
  expect(failureIn(await select)).toEqual({
    code: "Unavailable",
    message: "cannot list deployments.apps yet: deployments.apps is forbidden",
    retryAfterSeconds: 1,
  });
});

test("a resource that moves to another version is followed, and what was known serves until it is listed", async () => {
  const before = { ...infoOf("brands.cheese.io"), version: "v1" };
  const after = { ...before, version: "v2" };
  const fail = new Map<string, (error: unknown) => void>();
  const stopped: string[] = [];
  let isListed = false;
  let served: ClusterResource | undefined = before;
  let lookUps = 0;
  const objects = createObjects({
    clock: manualClock(0),
    log: silentLog,
    lookUp: async () => {
      lookUps += 1;
      return served;
    },
    reflect: (info, onError) => {
      fail.set(info.version, onError);
      const brand = { metadata: { name: `of-${info.version}` } };
      const reflector = fakeCluster({ "brands.cheese.io": [brand] }).reflect(info);
      return {
        ...reflector,
        get isSynced() {
          return info.version === "v1" || isListed;
        },
        stop: async () => void stopped.push(info.version),
      };
    },
  });
  const names = async (): Promise<readonly string[]> =>
    valueOf(
      await objects.select({
        info: before,
        namespace: undefined,
        selector: everything,
        caller: { signal: () => new AbortController().signal },
      }),
    ).objects.map(({ metadata }) => metadata.name);
  const notFound = new ApiError({ code: 404, reason: "NotFound", message: "gone" });

  expect(await names()).toEqual(["of-v1"]);
  fail.get("v1")?.(new Error("the server is away"));
  expect(lookUps).toBe(0);
  fail.get("v1")?.(notFound);
  await waitFor(() => lookUps === 1);
  served = undefined;
  fail.get("v1")?.(notFound);
  await waitFor(() => lookUps === 2);
  expect([...fail.keys()]).toEqual(["v1"]);

  served = after;
  fail.get("v1")?.(notFound);
  await waitFor(() => stopped.length === 1);
  expect([...fail.keys()]).toEqual(["v1", "v2"]);
  expect(await names()).toEqual(["of-v1"]);
  isListed = true;
  expect(await names()).toEqual(["of-v2"]);
  expect(stopped).toEqual(["v1"]);
});

test("a lookup of a resource whose version changed is served from the new version", async () => {
  const before = { ...infoOf("brands.cheese.io"), version: "v1" };
  const notFound = new ApiError({ code: 404, reason: "NotFound", message: "gone" });
  const objects = createObjects({
    clock: manualClock(0),
    log: silentLog,
    lookUp: async () => ({ ...before, version: "v2" }),
    reflect: (info, onError) => {
      const brand = { metadata: { name: "brie" } };
      const reflector = fakeCluster({ "brands.cheese.io": [brand] }).reflect(info);
      if (info.version === "v2") return reflector;
      let stop = (): void => undefined;
      return {
        ...reflector,
        isSynced: false,
        start: () => queueMicrotask(() => onError(notFound)),
        listed: () =>
          new Promise((_resolve, reject) => {
            stop = () => reject(new Error("stopped before its first list"));
          }),
        stop: async () => stop(),
      };
    },
  });
  const selected = await objects.select({
    info: before,
    namespace: undefined,
    selector: everything,
    caller: { signal: () => new AbortController().signal },
  });
  expect(valueOf(selected).objects).toHaveLength(1);
});

test("a list that is refused fails requests at once, none of which leaves anything behind, and is recovered from", async () => {
  let code: number | undefined = 403;
  let lists = 0;
  const client: KubeClient = {
    server: "",
    async request<T>() {
      lists += 1;
      if (code !== undefined) throw new ApiError({ code, reason: "Forbidden", message: "no such right" });
      return {
        metadata: { resourceVersion: "1" },
        items: [{ metadata: { name: "a", namespace: "ns" } }],
      } as T;
    },
    stream: ({ signal: ending }) =>
      new Promise((_resolve, reject) => {
        ending?.addEventListener("abort", () => reject(ending.reason as Error));
      }),
    close: async () => undefined,
  };
  const clock = manualClock(0);
  const { signal } = new AbortController();
  const objects = createObjects({
    clock,
    lookUp,
    log: silentLog,
    reflect: (_info, onError) =>
      createReflector({ client, clock, path: "/api/v1/pods", project: projectObject, onError }),
  });
  const select = () =>
    objects.select({
      info: infoOf("pods"),
      namespace: "ns",
      selector: everything,
      caller: { signal: () => signal },
    });
  for (let i = 0; i < 10_000; i += 1)
    expect(failureIn(await select())).toEqual({
      code: "Unavailable",
      message: "cannot list pods yet: no such right",
      retryAfterSeconds: 1,
    });
  // No time has passed.
  expect({
    lists,
    timers: clock.pendingTimers,
    listeners: getEventListeners(signal, "abort").length,
  }).toEqual({
    lists: 1,
    timers: 1,
    listeners: 0,
  });
  code = undefined;
  await clock.advance(5_000);
  expect(valueOf(await select()).objects).toHaveLength(1);
  await objects.stop();
});

test("a caller that leaves does not wait", async () => {
  const objects = createObjects({ clock: manualClock(0), lookUp, log: silentLog, reflect: neverSynced });
  const caller = new AbortController();
  const select = objects.select({
    info: infoOf("pods"),
    namespace: "ns",
    selector: everything,
    caller: { signal: () => caller.signal },
  });
  caller.abort();
  expect(failureIn(await select).code).toBe("Timeout");
});

test("objects are trimmed to the fields that are used", () => {
  const raw = {
    apiVersion: "v1",
    metadata: {
      name: "a",
      namespace: "ns",
      uid: "u",
      resourceVersion: "5",
      labels: { x: "1" },
      annotations: { big: "text" },
    },
    spec: { containers: [] },
    status: { phase: "Running", podIP: "1.2.3.4" },
  };
  expect(projectObject(raw)).toEqual({
    metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "5", labels: { x: "1" } },
    phase: "Running",
    running: [],
    endpoint: { ip: "1.2.3.4", isReady: false, isEnding: false, isOfNode: false, ports: [] },
  });
});

function neverSynced(): Reflector<ObservedObject> {
  const [reflector] = [fakeCluster({}).reflect(infoOf("pods"))];
  return {
    ...reflector,
    isSynced: false,
    listed: (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  };
}
