import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { sendJson, status } from "../fake/api-server.ts";
import { bookmark, ending, line, listOf, pod, watching } from "../fake/list-watch.ts";
import { setUp } from "../fake/reflect.ts";

test("a server that falls silent is left after the limit, and listed again, for it may have been restored meanwhile", async () => {
  const { server, reflector, errors, clock, wait } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("lost", 9)), listOf(25, pod("restored", 24))];
      s.watches = [watching(bookmark(20)), watching()];
    },
    { silenceLimitMs: 90_000 },
  );
  await until("the watch is open", () => server.open.length === 1);
  // Bytes of any kind keep it alive.
  for (let minute = 1; minute <= 3; minute += 1) {
    await clock.advance(60_000);
    const seen = server.seen.length;
    server.open[0]?.write(bookmark(20 + minute));
    await until("the bookmark was heard", () => reflector.lastContactMs === clock.nowMs());
    expect(server.seen.length).toBe(seen);
  }
  await clock.advance(90_001);
  await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(server.watchesSeen[1]?.query["resourceVersion"]).toBe("25");
  expect(server.listsSeen).toHaveLength(2);
  expect(reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(["restored"]);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ name: "ConnectionError", kind: "timeout" });
});

test("a list is no contact before all of it is in the store: what is replaced later is as old as before", async () => {
  const { server, reflector, clock, wait } = await setUp((s) => {
    s.lists = [listOf(10, pod("a", 1)), listOf(20, pod("a", 12))];
    s.watches = [ending(line("ERROR", status(410, "Expired", "old"))), watching()];
  });
  const agesMs: number[] = [];
  reflector.subscribe(() => agesMs.push(clock.nowMs() - (reflector.lastContactMs ?? 0)));
  await wait("the second watch is open", () => server.watchesSeen.length === 2);
  expect(agesMs).toHaveLength(2);
  // Before the first list there was none; before the second it was the first watch.
  expect(agesMs[0]).toBeGreaterThanOrEqual(1_000_000);
  expect(agesMs[1]).toBeGreaterThanOrEqual(500);
  expect(clock.nowMs() - (reflector.lastContactMs ?? 0)).toBeLessThan(500);
});

test("a watch that was silent from its beginning is followed by a list, and no error is reported", async () => {
  const { server, reflector, errors, wait } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("lost", 9)), listOf(25, pod("restored", 24))];
      // The server was restored while the watch was half open, and has passed the version since.
      s.looks = [listOf(25)];
      s.watches = [watching()];
    },
    { silenceLimitMs: 90_000 },
  );
  await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(server.watchesSeen[1]?.query["resourceVersion"]).toBe("25");
  expect(reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(["restored"]);
  expect(errors).toEqual([]);
});

test("a watch that is cut after a silence is followed by a list, for the server may have been restored before the cut", async () => {
  const { server, reflector, clock, wait } = await setUp((s) => {
    s.lists = [listOf(10, pod("lost", 9)), listOf(25, pod("restored", 24))];
    s.looks = [listOf(25)];
    s.watches = [watching()];
  });
  await until("the watch is open", () => server.open.length === 1);
  await clock.advance(30_000);
  server.cut();
  await wait("what was restored", () => reflector.store.get("ns", "restored") !== undefined);
  expect(reflector.store.size).toBe(1);
});

test("a refusal after a silence does not make it forgotten: the server may have been restored in it", async () => {
  const { server, reflector, clock, changes, wait } = await setUp((s) => {
    s.lists = [listOf(10, pod("lost", 9)), listOf(25, pod("restored", 24))];
    s.looks = [(res) => sendJson(res, 429, status(429, "TooManyRequests", "wait")), listOf(25)];
    s.watches = [watching(line("ADDED", pod("one", 11))), watching()];
  });
  await until("the watch was heard", () => changes.includes("added one@11"));
  await clock.advance(30_000);
  server.cut();
  await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(server.watchesSeen[1]?.query["resourceVersion"]).toBe("25");
  expect(reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(["restored"]);
});

test("a wall clock that is set back hides no outage, and is none by itself", async () => {
  const { server, reflector, clock, changes, setWallClock, wait } = await setUp((s) => {
    s.lists = [listOf(10, pod("lost", 9)), listOf(25, pod("restored", 24))];
    s.looks = [listOf(25)];
    s.watches = [
      watching(line("ADDED", pod("one", 11))),
      watching(line("ADDED", pod("two", 12))),
      watching(),
    ];
  });
  await until("the first watch was heard", () => changes.includes("added one@11"));
  setWallClock(-3_600_000);
  server.cut();
  await wait("the second watch was heard", () => changes.includes("added two@12"));
  expect(server.listsSeen).toHaveLength(1);
  await clock.advance(30_000);
  setWallClock(-29_000);
  server.cut();
  await wait("a third watch", () => server.watchesSeen.length === 3);
  expect(server.watchesSeen[2]?.query["resourceVersion"]).toBe("25");
  expect(reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(["restored"]);
});

test("a watch that the server ends in good order after a silence is resumed without a list", async () => {
  const { server, clock, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [watching()];
  });
  await until("the watch is open", () => server.open.length === 1);
  await clock.advance(60_000);
  server.open[0]?.end();
  await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(server.listsSeen).toHaveLength(1);
  expect(server.looksSeen).toHaveLength(1);
});

test("a server that was restored is listed again, whatever ended the watch, before a watch waits for the version", async () => {
  const { server, reflector, wait } = await setUp((s) => {
    s.lists = [listOf(50, pod("lost", 40)), listOf(12, pod("restored", 11))];
    s.looks = [listOf(11)];
    s.watches = [ending(), watching()];
  });
  await wait("what was restored", () => reflector.store.get("ns", "restored") !== undefined);
  await wait("a watch from there", () => server.watchesSeen.length === 2);
  expect(server.watchesSeen.map(({ query }) => query["resourceVersion"])).toEqual(["50", "12"]);
  expect(reflector.store.size).toBe(1);
  expect(server.looksSeen.map(({ query }) => query)).toEqual([{ limit: "1" }]);
});

test("a server that was away for long is listed again, for it may have reached the version once more", async () => {
  const { server, reflector, clock, wait } = await setUp((s) => {
    s.lists = [listOf(50, pod("lost", 40)), listOf(52, pod("restored", 51))];
    s.looks = [(res) => res.socket?.destroy()];
    s.watches = [watching()];
  });
  await until("the watch is open", () => server.open.length === 1);
  server.cut();
  const cutAtMs = clock.nowMs();
  await wait("it was away for ten seconds", () => clock.nowMs() - cutAtMs > 10_000);
  server.looks = [listOf(51)];
  await wait("what was restored", () => reflector.store.get("ns", "restored") !== undefined);
  expect(reflector.store.size).toBe(1);
  expect(server.listsSeen).toHaveLength(2);
});

test("a look for a restore that is refused keeps to Retry-After, and the watch goes on", async () => {
  const { server, errors, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.looks = [
      (res) => sendJson(res, 429, status(429, "TooManyRequests", "wait"), { "retry-after": "7" }),
      listOf(10),
    ];
    s.watches = [ending(), watching()];
  });
  await wait("a refusal", () => errors.length === 1);
  const tookMs = await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(tookMs).toBeGreaterThanOrEqual(6900);
  expect(server.looksSeen).toHaveLength(2);
  expect(server.listsSeen).toHaveLength(1);
  expect(server.watchesSeen.map(({ query }) => query["resourceVersion"])).toEqual(["10", "10"]);
});

test("connections that are cut are resumed without a list within a second", async () => {
  const { server, changes, errors, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [watching(line("ADDED", pod("a", 11))), watching(line("ADDED", pod("b", 12)))];
  });
  await wait("a came", () => changes.length === 1);
  server.cut();
  const tookMs = await wait("b came", () => changes.length === 2);
  expect(tookMs).toBeLessThanOrEqual(1500);
  expect(server.watchesSeen.map((seen) => seen.query["resourceVersion"])).toEqual(["10", "11"]);
  expect(server.listsSeen).toHaveLength(1);
  expect(errors).toHaveLength(1);
});

test("Retry-After is kept to, in lists and in watches", async () => {
  const { server, wait } = await setUp((s) => {
    s.lists = [
      (res) => sendJson(res, 429, status(429, "TooManyRequests", "wait"), { "retry-after": "7" }),
      listOf(10),
    ];
    s.watches = [
      (res) => sendJson(res, 429, status(429, "TooManyRequests", "wait", { retryAfterSeconds: 15 })),
      watching(),
    ];
  });
  const listedMs = await wait("a second list", () => server.listsSeen.length === 2);
  expect(listedMs).toBeGreaterThanOrEqual(7000);
  expect(listedMs).toBeLessThan(8000);
  await wait("a watch", () => server.watchesSeen.length === 1);
  const watchedMs = await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(watchedMs).toBeGreaterThanOrEqual(14_900);
  expect(watchedMs).toBeLessThan(16_000);
  // No list more: it would add to the load.
  expect(server.listsSeen).toHaveLength(2);
});

test("a server that is away is found again within five seconds, however long it was away", async () => {
  const { server, reflector, wait, clock } = await setUp((s) => {
    s.lists = [(res) => res.socket?.destroy(), (res) => res.socket?.destroy()];
  });
  await wait("many tries", () => server.listsSeen.length >= 14);
  expect(reflector.isSynced).toBe(false);
  const backAtMs = clock.nowMs();
  server.lists = [listOf(10)];
  server.watches = [watching()];
  await wait("synced", () => reflector.isSynced);
  expect(clock.nowMs() - backAtMs).toBeLessThanOrEqual(5100);
});

test("a resource that is not there is listed with increasing backoff, and found when it is installed", async () => {
  const { server, reflector, clock, wait } = await setUp((s) => {
    s.lists = [
      (res) => {
        res.writeHead(404, { "content-type": "text/plain" });
        res.end("404 page not found");
      },
    ];
  });
  const startedAtMs = clock.nowMs();
  await wait("six lists", () => server.listsSeen.length >= 6);
  expect(clock.nowMs() - startedAtMs).toBeGreaterThanOrEqual(20_000);
  server.lists = [listOf(10)];
  server.watches = [watching()];
  const tookMs = await wait("the list", () => reflector.isSynced);
  expect(tookMs).toBeLessThanOrEqual(30_000);
});

test("a watch that is refused for its version leads to a list, one that is forbidden does not", async () => {
  const { server, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [
      (res) => sendJson(res, 403, status(403, "Forbidden", "no")),
      (res) => sendJson(res, 400, status(400, "BadRequest", "invalid resource version")),
      watching(),
    ];
  });
  await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(server.listsSeen).toHaveLength(1);
  await wait("a third watch", () => server.watchesSeen.length === 3);
  expect(server.listsSeen).toHaveLength(2);
});
