import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { sendJson, status } from "../fake/api-server.ts";
import { bookmark, ending, line, listBody, listOf, pod, watching } from "../fake/list-watch.ts";
import { names, setUp } from "../fake/reflect.ts";

test("a list fills the store, a watch from its version keeps it up to date", async () => {
  const { server, reflector, changes, errors } = await setUp((s) => {
    s.lists = [listOf(10, pod("a", 1, { app: "x" }), pod("b", 2), pod("d", 3))];
    s.watches = [
      watching(
        line("ADDED", pod("c", 11, { app: "x" })),
        line("MODIFIED", pod("a", 12, { app: "y" })),
        line("DELETED", pod("b", 13)),
      ),
    ];
  });
  expect(reflector.isSynced).toBe(false);
  await reflector.synced();
  expect(reflector.isSynced).toBe(true);
  await until("all events came", () => changes.length === 6);
  expect(changes).toEqual([
    "added a@1",
    "added b@2",
    "added d@3",
    "added c@11",
    "modified a@12 was 1",
    "deleted b@13 was 2",
  ]);
  expect(names(reflector.store.list())).toEqual(["a", "c", "d"]);
  expect(reflector.store.get("ns", "d")).toMatchObject({ apiVersion: "v1", kind: "Pod" });
  expect(server.listsSeen[0]?.query).toEqual({ limit: "500" });
  expect(server.watchesSeen[0]?.query).toEqual({
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: "10",
    timeoutSeconds: "450",
  });
  expect(errors).toEqual([]);
});

test("a list comes page by page, each object trimmed on arrival, with the selectors on every request", async () => {
  const { server, reflector, changes } = await setUp(
    (s) => {
      s.lists = [
        (res) => sendJson(res, 200, listBody(10, [pod("a", 1), pod("b", 2)], "more")),
        (res) => sendJson(res, 200, listBody(10, [pod("c", 3)])),
      ];
      s.watches = [watching()];
    },
    {
      pageSize: 2,
      query: { labelSelector: "app=x", fieldSelector: "spec.nodeName!=" },
      project: ({ metadata }) => ({ metadata: { name: metadata.name.toUpperCase() } }),
    },
  );
  await reflector.synced();
  await until("the watch is open", () => server.watchesSeen.length === 1);
  const selectors = { labelSelector: "app=x", fieldSelector: "spec.nodeName!=" };
  expect(server.listsSeen.map((seen) => seen.query)).toEqual([
    { ...selectors, limit: "2" },
    { ...selectors, limit: "2", continue: "more" },
  ]);
  expect(server.watchesSeen[0]?.query).toMatchObject(selectors);
  expect(changes).toEqual(["added A@", "added B@", "added C@"]);
});

test("nothing is shown of a list that expires between pages: it starts over", async () => {
  const { server, reflector, changes, wait } = await setUp((s) => {
    s.lists = [
      (res) => sendJson(res, 200, listBody(10, [pod("a", 1)], "more")),
      (res) => sendJson(res, 410, status(410, "Expired", "continue token is too old")),
      listOf(20, pod("b", 15)),
    ];
    s.watches = [watching()];
  });
  const tookMs = await wait("the watch is open", () => server.watchesSeen.length === 1);
  expect(reflector.isSynced).toBe(true);
  expect(tookMs).toBeGreaterThanOrEqual(1000);
  expect(changes).toEqual(["added b@15"]);
  expect(server.listsSeen.map((seen) => seen.query["continue"])).toEqual([undefined, "more", undefined]);
  expect(server.watchesSeen[0]?.query["resourceVersion"]).toBe("20");
});

test("a list older than what was seen is not shown, unless the server insists", async () => {
  const gone = ending(bookmark(50), line("ERROR", status(410, "Expired", "old")));
  const { server, reflector, changes, errors, wait } = await setUp((s) => {
    s.lists = [listOf(40, pod("a", 39)), listOf(30, pod("old", 29)), listOf(60, pod("b", 55))];
    s.watches = [gone, ending(bookmark(70), line("ERROR", status(410, "Expired", "old"))), watching()];
  });
  await wait("b came", () => changes.includes("added b@55"));
  expect(changes).toEqual(["added a@39", "deleted a@39 was 39", "added b@55"]);
  expect(String(errors[1])).toContain("older than 50");
  server.lists = [listOf(5, pod("restored", 4))];
  await wait("the restored server is believed", () => reflector.store.get("ns", "restored") !== undefined);
  expect(server.listsSeen.length).toBe(3 + 6);
});

test("the same version of an object again is no change", async () => {
  const { changes, wait } = await setUp((s) => {
    s.lists = [listOf(10, pod("a", 9))];
    s.watches = [
      watching(line("ADDED", pod("a", 9)), line("DELETED", pod("ghost", 11)), line("ADDED", pod("b", 12))),
    ];
  });
  await wait("b came", () => changes.includes("added b@12"));
  expect(changes).toEqual(["added a@9", "added b@12"]);
});

test("listeners that throw or reject stop no other listener", async () => {
  const { reflector, changes, errors, wait } = await setUp((s) => {
    s.lists = [listOf(10, pod("a", 9))];
    s.watches = [watching(line("ADDED", pod("b", 11)))];
  });
  reflector.subscribe(() => {
    throw new Error("sync");
  });
  const rejects: () => unknown = () => Promise.reject(new Error("async"));
  reflector.subscribe(rejects);
  const late: string[] = [];
  const unsubscribe = reflector.subscribe((change) => late.push(change.object.metadata.name));
  await wait("b came", () => changes.length === 2);
  expect(late.at(-1)).toBe("b");
  await until("errors are reported", () => errors.length >= 2);
  expect(errors.map(String)).toContain("Error: sync");
  expect(errors.map(String)).toContain("Error: async");
  unsubscribe();
});

test("a new list projects only what has changed since", async () => {
  const projected: string[] = [];
  const { server, reflector, changes, wait } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("a", 1), pod("b", 2)), listOf(20, pod("a", 1), pod("b", 12))];
      s.watches = [ending(line("ERROR", status(410, "Expired", "old"))), watching()];
    },
    {
      project(raw) {
        projected.push(`${raw.metadata.name}@${raw.metadata.resourceVersion}`);
        return raw;
      },
    },
  );
  await wait("the second watch is open", () => server.watchesSeen.length === 2);
  expect(projected).toEqual(["a@1", "b@2", "b@12"]);
  expect(changes).toEqual(["added a@1", "added b@2", "modified b@12 was 2"]);
  expect(names(reflector.store.list())).toEqual(["a", "b"]);
});

test("stop ends the watch, emits nothing more and leaves neither timers nor connections", async () => {
  const { server, reflector, changes, clock } = await setUp((s) => {
    s.lists = [listOf(10, pod("a", 9))];
    s.watches = [watching()];
  });
  await until("the watch is open", () => server.open.length === 1);
  const stopped = reflector.stop();
  server.open[0]?.write(line("ADDED", pod("b", 11)));
  await stopped;
  expect(clock.pendingTimers).toBe(0);
  await until("the server sees it", () => server.open.length === 0);
  const requests = server.seen.length;
  await clock.advance(600_000);
  expect(server.seen.length).toBe(requests);
  expect(changes).toEqual(["added a@9"]);
  reflector.start();
  await clock.advance(600_000);
  expect(server.seen.length).toBe(requests);
});

test("stop works while it waits to retry, and waits for the first list are rejected", async () => {
  const { server, reflector, errors, clock } = await setUp((s) => {
    s.lists = [(res) => sendJson(res, 500, status(500, "InternalError", "no"))];
  });
  await until("it failed", () => errors.length === 1);
  const waiting = reflector.synced();
  const impatient = reflector.synced(AbortSignal.abort(new Error("enough")));
  await expect(impatient).rejects.toThrow("enough");
  await reflector.stop();
  await expect(waiting).rejects.toThrow("stopped before its first list");
  expect(clock.pendingTimers).toBe(0);
  expect(server.seen).toHaveLength(1);
});

test("stop works in the middle of a list", async () => {
  const { server, reflector, changes } = await setUp((s) => {
    s.lists = [(res) => res.writeHead(200).write('{"kind":')];
  });
  await until("the list is under way", () => server.listsSeen.length === 1);
  await reflector.stop();
  expect(changes).toEqual([]);
  expect(reflector.isSynced).toBe(false);
});

test("starting twice is starting once", async () => {
  const { server, reflector } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [watching()];
  });
  reflector.start();
  await until("the watch is open", () => server.open.length === 1);
  expect(server.listsSeen).toHaveLength(1);
  expect(server.watchesSeen).toHaveLength(1);
});

test("it says when the server was last heard: by lists, accepted watches, events and bookmarks, not by failures", async () => {
  const { server, reflector, clock, wait } = await setUp(({ lists, watches }) => {
    lists.push(listOf(10, pod("a", 9)), (res) => sendJson(res, 403, status(403, "Forbidden", "no more")));
    watches.push(watching());
  });
  expect(reflector.lastContactMs).toBeUndefined();
  await wait("the watch is open", () => server.open.length === 1 && reflector.lastContactMs !== undefined);
  const heardAfter = async (what: string, say: () => void) => {
    await clock.advance(10_000);
    const before = clock.nowMs();
    say();
    await wait(what, () => (reflector.lastContactMs ?? 0) >= before);
    expect(reflector.lastContactMs).toBeLessThanOrEqual(clock.nowMs());
  };
  await heardAfter("a bookmark", () => void server.open[0]?.write(bookmark(20)));
  await heardAfter("an event", () => void server.open[0]?.write(line("MODIFIED", pod("a", 21))));
  const lastMs = reflector.lastContactMs ?? 0;
  const expired = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  server.open[0]?.end(line("ERROR", expired));
  await wait("three lists were refused", () => server.listsSeen.length >= 4);
  await clock.advance(60_000);
  expect(reflector.lastContactMs).toBe(lastMs);
  expect(reflector.isSynced).toBe(true);
});
