import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { sendJson, status } from "../fake/api-server.ts";
import { bookmark, ending, line, listBody, listOf, pod, type Step, watching } from "../fake/list-watch.ts";
import { setUp } from "../fake/reflect.ts";

test("a watch that the server ends is resumed from the last version, a bookmark's included", async () => {
  const { server, changes, errors, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [ending(line("ADDED", pod("a", 11))), ending(bookmark(42)), watching()];
  });
  const tookMs = await wait("three watches", () => server.watchesSeen.length === 3);
  expect(server.watchesSeen.map((seen) => seen.query["resourceVersion"])).toEqual(["10", "11", "42"]);
  expect(server.listsSeen).toHaveLength(1);
  expect(changes).toEqual(["added a@11"]);
  expect(errors).toEqual([]);
  expect(tookMs).toBeGreaterThanOrEqual(1900);
});

test.each<[string, Step]>([
  ["as an ERROR event", ending(line("ERROR", status(410, "Expired", "too old resource version: 10 (20)")))],
  [
    "as an ERROR event on a stream that stays open",
    watching(line("ERROR", status(410, "Gone", "too old resource version"))),
  ],
  ["as HTTP 410", (res) => sendJson(res, 410, status(410, "Expired", "too old"))],
])(
  "a resource version that is gone, reported by %s, leads to one new list whose difference is emitted",
  async (_, gone) => {
    const { server, reflector, changes, wait } = await setUp((s) => {
      s.lists = [
        listOf(10, pod("kept", 1), pod("changed", 2), pod("gone", 3), pod("reborn", 4)),
        listOf(30, pod("kept", 1), pod("changed", 22), pod("new", 23), pod("reborn", 24, {}, "other")),
      ];
      s.watches = [gone, watching()];
    });
    await reflector.synced();
    changes.length = 0;
    const kept = reflector.store.get("ns", "kept");
    await wait("a second watch", () => server.watchesSeen.length === 2);
    expect(changes).toEqual([
      "deleted gone@3 was 3",
      "modified changed@22 was 2",
      "added new@23",
      "deleted reborn@4 was 4",
      "added reborn@24",
    ]);
    expect(reflector.store.get("ns", "kept")).toBe(kept);
    expect(server.listsSeen).toHaveLength(2);
    expect(server.watchesSeen[1]?.query["resourceVersion"]).toBe("30");
  },
);

test("a server that is always gone gets a list no more than once a second, and ever more rarely", async () => {
  const listedAtMs: number[] = [];
  const { clock, wait } = await setUp((s) => {
    s.lists = [
      (res) => {
        listedAtMs.push(clock.nowMs());
        sendJson(res, 200, listBody(10, []));
      },
    ];
    s.watches = [ending(line("ERROR", status(410, "Expired", "too old")))];
  });
  await wait("five lists", () => listedAtMs.length === 5);
  const gaps = listedAtMs.slice(1).map((atMs, index) => atMs - (listedAtMs[index] ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(1000);
  expect(gaps.at(-1)).toBeGreaterThan(4000);
});

test("a line that is cut off is not lost: the watch resumes from before it", async () => {
  const cut = line("ADDED", pod("b", 12)).slice(0, 30);
  const { server, changes, errors, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [ending(line("ADDED", pod("a", 11)), cut), watching(line("ADDED", pod("b", 12)))];
  });
  await wait("both came", () => changes.length === 2);
  expect(changes).toEqual(["added a@11", "added b@12"]);
  expect(server.watchesSeen.map((seen) => seen.query["resourceVersion"])).toEqual(["10", "11"]);
  expect(server.listsSeen).toHaveLength(1);
  expect(errors).toEqual([]);
});

test("lines split anywhere, also within a character, are put together", async () => {
  const bytes = Buffer.from(line("ADDED", pod("a", 11, { app: "größe-✓" })));
  const { reflector } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [
      (res) => {
        res.writeHead(200);
        let at = 0;
        const next = () => {
          if (at >= bytes.length) return;
          res.write(bytes.subarray(at, at + 1));
          at += 1;
          setImmediate(next);
        };
        next();
      },
    ];
  });
  await until("it came", () => reflector.store.size === 1);
  expect(reflector.store.get("ns", "a")?.metadata.labels).toEqual({ app: "größe-✓" });
});

test("a line that is no event ends the watch; when that goes on, a list sets things right", async () => {
  const { server, reflector, errors, wait } = await setUp((s) => {
    s.lists = [listOf(10), listOf(20, pod("a", 15))];
    s.watches = [
      watching("{broken\n"),
      watching(line("ADDED", { metadata: { name: "x" } })),
      watching('"text"\n'),
      watching(),
    ];
  });
  await wait("listed again", () => reflector.store.size === 1);
  expect(errors).toHaveLength(3);
  expect(server.watchesSeen.slice(0, 3).map((seen) => seen.query["resourceVersion"])).toEqual([
    "10",
    "10",
    "10",
  ]);
});

test("an event of an unknown type is reported and passed over", async () => {
  const { changes, errors, server, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [watching(line("SHIFTED", pod("x", 11)), line("ADDED", pod("a", 12)))];
  });
  await wait("a came", () => changes.length === 1);
  expect(changes).toEqual(["added a@12"]);
  expect(errors).toHaveLength(1);
  expect(server.watchesSeen).toHaveLength(1);
});

test("an ERROR event that is not about versions is tried again from the same version", async () => {
  const { server, changes, wait } = await setUp((s) => {
    s.lists = [listOf(10)];
    s.watches = [
      ending(line("ERROR", status(500, "InternalError", "etcd event received with PrevKv=nil"))),
      watching(line("ADDED", pod("a", 11))),
    ];
  });
  await wait("a came", () => changes.length === 1);
  expect(server.listsSeen).toHaveLength(1);
  expect(server.watchesSeen.map((seen) => seen.query["resourceVersion"])).toEqual(["10", "10"]);
});
