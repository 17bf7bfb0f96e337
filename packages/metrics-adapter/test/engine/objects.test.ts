import type { Reflector } from "@plimsoll/kube";
import { parseSelector } from "@plimsoll/kube";
import { manualClock } from "@plimsoll/kube/testing";
import { expect, test } from "vitest";
import { createObjects } from "../../src/objects/objects.ts";
import { type ObservedObject, projectObject } from "../../src/objects/observed-object.ts";
import { fakeCluster, infoOf, pod } from "./cluster.ts";
import { failureIn, valueOf } from "./harness.ts";

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const everything = parseSelector("");

test("one reflector for a resource, however often it is asked for", async () => {
  const cluster = fakeCluster({
    pods: [pod("ns", "a", { x: "1" }), pod("ns", "b"), pod("two", "c", { x: "1" })],
  });
  const objects = createObjects({
    reflect: (info) => cluster.reflect(info),
    clock: manualClock(0),
    log: silent,
  });
  const { signal } = new AbortController();
  const names = async (namespace: string | undefined, selector: string): Promise<readonly string[]> =>
    valueOf(
      await objects.select({ info: infoOf("pods"), namespace, selector: parseSelector(selector), signal }),
    ).objects.map(({ metadata }) => metadata.name);
  expect(await names("ns", "")).toEqual(["a", "b"]);
  expect(await names("ns", "x=1")).toEqual(["a"]);
  expect(await names(undefined, "x=1")).toEqual(["a", "c"]);
  expect(
    valueOf(await objects.get({ info: infoOf("pods"), namespace: "two", name: "c", signal }))?.phase,
  ).toBe("Running");
  expect(cluster.watched).toEqual(["pods"]);
});

test("a resource that cannot be listed is unavailable, with the reason", async () => {
  const clock = manualClock(0);
  let fail: (error: unknown) => void = () => undefined;
  const objects = createObjects({
    clock,
    log: silent,
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
    signal: new AbortController().signal,
  });
  fail(new Error("deployments.apps is forbidden"));
  await clock.advance(5_000);
  expect(failureIn(await select)).toEqual({
    code: "Unavailable",
    message: "deployments.apps cannot be listed yet: deployments.apps is forbidden",
    retryAfterSeconds: 1,
  });
});

test("a caller that leaves does not wait", async () => {
  const objects = createObjects({ clock: manualClock(0), log: silent, reflect: neverSynced });
  const caller = new AbortController();
  const select = objects.select({
    info: infoOf("pods"),
    namespace: "ns",
    selector: everything,
    signal: caller.signal,
  });
  caller.abort();
  expect(failureIn(await select).code).toBe("Timeout");
});

test("objects are cut down to what is asked of them", () => {
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
  });
});

function neverSynced(): Reflector<ObservedObject> {
  const [reflector] = [fakeCluster({}).reflect(infoOf("pods"))];
  return {
    ...reflector,
    isSynced: false,
    synced: (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  };
}
