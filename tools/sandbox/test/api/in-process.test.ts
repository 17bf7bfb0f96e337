import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createInProcessSandbox, type InProcessRequest, type StoreEvent } from "../../src/index.ts";
import { configMap, configMaps } from "./api-rig.ts";

const startMs = Date.parse("2026-05-01T10:00:00Z");

function server() {
  const changes: { readonly change: StoreEvent; readonly writer: string | undefined }[] = [];
  let ids = 0;
  const sandbox = createInProcessSandbox({
    clock: manualClock(startMs),
    workloads: {},
    newId: () => `id-${(ids += 1)}`,
    nameSuffix: (prefix) => `of-${prefix}end`,
    onChange: (change, writer) => changes.push({ change, writer }),
  });
  sandbox.start();
  const request = (method: string, body?: unknown, query = ""): InProcessRequest => ({
    method,
    path: configMaps,
    query: new URLSearchParams(query),
    headers: {},
    body: body === undefined ? "" : JSON.stringify(body),
    user: "ann",
  });
  return { sandbox, changes, request };
}

test("a request without HTTP is the same call, with the ids and names of its caller", () => {
  const { sandbox, changes, request } = server();
  const created = sandbox.handle(request("POST", { metadata: { generateName: "x-" } }));
  expect(created).toMatchObject({ code: 201, headers: { "content-type": "application/json" } });
  const { change, writer } = changes.at(-1) ?? {};
  expect(writer).toBe("ann");
  expect(change?.object.metadata).toMatchObject({
    name: "x-of-x-end",
    uid: expect.stringMatching(/^id-\d+$/),
  });
  expect(sandbox.handle(request("POST", configMap("Bad Name")))).toMatchObject({ code: 422 });
});

test("a watch without HTTP writes as long as it is not aborted", () => {
  const { sandbox, request } = server();
  const watch = sandbox.handle(request("GET", undefined, "watch=true&labelSelector=x"));
  const frames: string[] = [];
  const abort = new AbortController();
  if (!("run" in watch)) throw new Error("no stream");
  watch.run({ signal: abort.signal, write: (frame) => frames.push(frame), finish: () => {} });
  sandbox.handle(request("POST", configMap("a", {}, { x: "1" })));
  abort.abort();
  sandbox.handle(request("POST", configMap("b", {}, { x: "1" })));
  expect(frames).toHaveLength(1);
  expect(JSON.parse(frames[0] ?? "")).toMatchObject({ type: "ADDED", object: { kind: "ConfigMap" } });
});

test("after a stop, the controllers look at everything afresh: also at what lost its owner meanwhile", async () => {
  const clock = manualClock(startMs);
  const sandbox = createInProcessSandbox({ clock, workloads: {} });
  sandbox.start();
  const { store } = sandbox;
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "of-nothing" };
  sandbox.stop();
  store.create("configmaps", {
    metadata: { name: "orphan", namespace: "default", ownerReferences: [owner] },
  });
  await clock.advance(1000);
  expect(store.get("configmaps", "default", "orphan")).toBeDefined();
  sandbox.start();
  await clock.advance(1000);
  expect(store.get("configmaps", "default", "orphan")).toBeUndefined();
});

test("the aggregated discovery document is made once for each state of what other servers serve", () => {
  let made = 0;
  const freshnessOf = (freshness: string) => ({
    toJSON() {
      made += 1;
      return { version: "v1", resources: [], freshness };
    },
  });
  let document = freshnessOf("Current");
  const sandbox = createInProcessSandbox({
    clock: manualClock(startMs),
    groupVersions: () => [{ group: "other.example.com", version: "v1", document }],
  });
  const read = () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const query = new URLSearchParams();
    const request = { method: "GET", path: "/apis", query, headers: { accept }, body: "", user: "ann" };
    const response = sandbox.handle(request);
    if (!("body" in response)) throw new Error("no document");
    return /"resources":\[\],"freshness":"(\w+)"/.exec(String(response.body))?.[1];
  };
  expect([read(), read(), made]).toEqual(["Current", "Current", 1]);
  document = freshnessOf("Stale");
  expect([read(), read(), made]).toEqual(["Stale", "Stale", 2]);
});
