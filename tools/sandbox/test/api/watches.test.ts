import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { configMap, configMaps, type Json, text, withApi } from "./api-rig.ts";

const shape = (events: readonly Json[]): unknown[] =>
  events.map((event) => [event["type"], event["object"]?.["metadata"]?.["name"]]);

test("a watch from a version replays what came after it and goes on live", () =>
  withApi(async ({ call, watch }) => {
    await call("POST", configMaps, { body: configMap("a") });
    const { body: list } = await call("GET", configMaps);
    await call("POST", configMaps, { body: configMap("b") });
    const from = text(list["metadata"]?.["resourceVersion"]);
    const events = await watch(
      `${configMaps}?watch=true&resourceVersion=${from}`,
      (seen) => seen.length === 3,
      {
        async ready() {
          await call("PUT", `${configMaps}/b`, { body: configMap("b", { x: "1" }) });
          await call("DELETE", `${configMaps}/b`);
        },
      },
    );
    expect(shape(events)).toEqual([
      ["ADDED", "b"],
      ["MODIFIED", "b"],
      ["DELETED", "b"],
    ]);
    const versions = events.map((event) => Number(event["object"]?.["metadata"]?.["resourceVersion"]));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(events[0]?.["object"]).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  }));

test("a watch without a version starts with what is there", () =>
  withApi(async ({ call, watch }) => {
    await call("POST", configMaps, { body: configMap("a", {}, { x: "1" }) });
    const events = await watch(`${configMaps}?watch=1&labelSelector=x`, (seen) => seen.length === 1);
    expect(shape(events)).toEqual([["ADDED", "a"]]);
  }));

test("objects enter and leave a selection", () =>
  withApi(async ({ call, watch }) => {
    await call("POST", configMaps, { body: configMap("a") });
    const events = await watch(`${configMaps}?watch=true&labelSelector=x%3D1`, (seen) => seen.length === 2, {
      async ready() {
        await call("PUT", `${configMaps}/a`, { body: configMap("a", {}, { x: "1" }) });
        await call("PUT", `${configMaps}/a`, { body: configMap("a", {}, { x: "2" }) });
      },
    });
    expect(shape(events)).toEqual([
      ["ADDED", "a"],
      ["DELETED", "a"],
    ]);
  }));

test("a version that is forgotten is an ERROR event with code 410", () =>
  withApi(async ({ call, watch, sandbox }) => {
    await call("POST", configMaps, { body: configMap("a") });
    sandbox.store.compact();
    const events = await watch(`${configMaps}?watch=true&resourceVersion=1`, () => false);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 410, reason: "Expired" },
    });
  }));

test("the history is bounded", () =>
  withApi(
    async ({ call, watch }) => {
      const { body: list } = await call("GET", configMaps);
      for (let count = 0; count < 30; count += 1)
        await call("POST", configMaps, { body: configMap(`c${count}`) });
      const from = text(list["metadata"]?.["resourceVersion"]);
      const events = await watch(`${configMaps}?watch=true&resourceVersion=${from}`, () => false);
      expect(events[0]?.["object"]?.["code"]).toBe(410);
    },
    { historyLimit: 8 },
  ));

test("sendInitialEvents sends the state, then a bookmark that marks its end", () =>
  withApi(async ({ call, watch }) => {
    await call("POST", configMaps, { body: configMap("a", {}, { x: "1" }) });
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const events = await watch(`${configMaps}?${query}&labelSelector=x`, (seen) => seen.length === 2);
    expect(events[0]?.["type"]).toBe("ADDED");
    expect(events[1]).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
  }));

test("bookmarks come by the clock, and timeoutSeconds ends the watch", async () => {
  const clock = manualClock(Date.now());
  await withApi(
    async ({ watch, sandbox }) => {
      const path = `${configMaps}?watch=true&resourceVersion=${sandbox.store.version}`;
      const events = await watch(`${path}&allowWatchBookmarks=true&timeoutSeconds=25`, () => false, {
        ready: () => clock.advance(25_000),
      });
      expect(events.map((event) => event["type"])).toEqual(["BOOKMARK", "BOOKMARK", "BOOKMARK"]);
      expect(events[0]?.["object"]?.["metadata"]?.["resourceVersion"]).toBe(String(sandbox.store.version));
    },
    { clock, bookmarkIntervalMs: 10_000 },
  );
});

test("a watch as Table names its columns once", () =>
  withApi(async ({ call, watch, sandbox }) => {
    await call("POST", configMaps, { body: configMap("a") });
    const from = sandbox.store.version;
    await call("POST", configMaps, { body: configMap("b") });
    await call("POST", configMaps, { body: configMap("c") });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const path = `${configMaps}?watch=true&resourceVersion=${from}`;
    const frames = await watch(path, (seen) => seen.length === 2, { accept });
    expect(frames.map((frame) => frame["object"]?.["rows"]?.[0]?.["cells"]?.[0])).toEqual(["b", "c"]);
    expect(frames[0]?.["object"]?.["columnDefinitions"]?.[0]).toMatchObject({ name: "Name" });
    expect(frames[1]?.["object"]?.["columnDefinitions"]).toBeNull();
  }));

test("a watch from a version of the future sends nothing up to it, and no bookmark before it", async () => {
  const clock = manualClock(Date.now());
  await withApi(
    async ({ call, watch, sandbox }) => {
      const from = sandbox.store.version + 2;
      const path = `${configMaps}?watch=true&resourceVersion=${from}&allowWatchBookmarks=true`;
      const events = await watch(path, (seen) => seen.length === 2, {
        async ready() {
          await clock.advance(10_000);
          for (const name of ["a", "b", "c"]) await call("POST", configMaps, { body: configMap(name) });
          await clock.advance(10_000);
        },
      });
      expect(shape(events)).toEqual([
        ["ADDED", "c"],
        ["BOOKMARK", ""],
      ]);
    },
    { clock, bookmarkIntervalMs: 10_000 },
  );
});
