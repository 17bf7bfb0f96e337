import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import {
  type Change,
  createReflector,
  type KubeObject,
  type Reflector,
  type ReflectorOptions,
} from "@plimsoll/kube";
import { expect, onTestFinished, test } from "vitest";
import { sendJson, status } from "../fake/api-server.ts";
import { clientFor, counting } from "../fake/client-for.ts";
import {
  bookmark,
  ending,
  type ListWatchServer,
  line,
  listBody,
  listOf,
  pod,
  type Step,
  startListWatchServer,
  watching,
} from "../fake/list-watch.ts";
import { limitMs, until } from "../fake/until.ts";

interface Setup {
  readonly server: ListWatchServer;
  readonly reflector: Reflector<KubeObject>;
  readonly clock: ManualClock;
  readonly changes: string[];
  readonly errors: unknown[];
  /** Lets the manual clock run until the condition holds; returns how much time that took. */
  wait(what: string, condition: () => boolean): Promise<number>;
}

async function setUp(
  script: (server: ListWatchServer) => void,
  options: Partial<ReflectorOptions<KubeObject>> = {},
): Promise<Setup> {
  const server = await startListWatchServer();
  script(server);
  const clock = manualClock(1_000_000);
  const errors: unknown[] = [];
  const changes: string[] = [];
  const client = counting(await clientFor(server.url));
  const reflector = createReflector<KubeObject>({
    client,
    path: "/api/v1/pods",
    clock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
    ...options,
  });
  reflector.subscribe((change) => changes.push(describe(change)));
  onTestFinished(() => reflector.stop());
  reflector.start();
  const wait = async (what: string, condition: () => boolean) => {
    const startedAtMs = clock.nowMs();
    // Real time must pass for the sockets, manual time for the timers, and that only while nothing is on its way.
    const endMs = performance.now() + limitMs;
    while (!condition()) {
      if (performance.now() > endMs) throw new Error(`still not so: ${what}`);
      if (client.waiting === 0) await clock.advance(50);
      // Asks again.
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    return clock.nowMs() - startedAtMs;
  };
  return { server, reflector, clock, changes, errors, wait };
}

function describe(change: Change<KubeObject>): string {
  const { metadata } = change.object;
  const before =
    change.previous === undefined ? "" : ` was ${change.previous.metadata.resourceVersion ?? ""}`;
  return `${change.type} ${metadata.name}@${metadata.resourceVersion ?? ""}${before}`;
}

const names = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata.name).sort();

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

test("a server that falls silent is left after the limit, and the watch resumed", async () => {
  const { server, reflector, errors, clock, wait } = await setUp(
    (s) => {
      s.lists = [listOf(10)];
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
    await until("the bookmark was heard", () => reflector.lastHeardMs === clock.nowMs());
    expect(server.seen.length).toBe(seen);
  }
  await clock.advance(90_001);
  await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(server.watchesSeen[1]?.query["resourceVersion"]).toBe("23");
  expect(server.listsSeen).toHaveLength(1);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ name: "ConnectionError", kind: "timeout" });
  // One without any event is watched again, and no error is reported.
  await wait("a third watch", () => server.watchesSeen.length === 3);
  expect(server.listsSeen).toHaveLength(1);
  expect(errors).toHaveLength(1);
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
      (res) => sendJson(res, 429, status(429, "TooManyRequests", "wait", { retryAfterSeconds: 9 })),
      watching(),
    ];
  });
  const listedMs = await wait("a second list", () => server.listsSeen.length === 2);
  expect(listedMs).toBeGreaterThanOrEqual(7000);
  expect(listedMs).toBeLessThan(8000);
  await wait("a watch", () => server.watchesSeen.length === 1);
  const watchedMs = await wait("a second watch", () => server.watchesSeen.length === 2);
  expect(watchedMs).toBeGreaterThanOrEqual(8900);
  expect(watchedMs).toBeLessThan(10_000);
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

test("a resource that is not there is asked for ever more rarely, and found when it is installed", async () => {
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

test("an object on which the projection throws stays as it was, also through a new list", async () => {
  const { reflector, changes, errors, wait } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("a", 9), pod("b", 8)), listOf(30, pod("a", 12, { bad: "1" }), pod("b", 8))];
      s.watches = [
        ending(
          line("MODIFIED", pod("a", 12, { bad: "1" })),
          line("ADDED", pod("c", 13)),
          line("ERROR", status(410, "Gone", "")),
        ),
        watching(),
      ];
    },
    {
      project: (raw) => {
        if (raw.metadata.labels?.["bad"] !== undefined) throw new Error("cannot trim");
        return raw;
      },
    },
  );
  await wait("the second list", () => changes.includes("deleted c@13 was 13"));
  expect(reflector.store.get("ns", "a")?.metadata.resourceVersion).toBe("9");
  expect(errors.filter((error) => String(error) === "Error: cannot trim")).toHaveLength(2);
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
  expect(reflector.lastHeardMs).toBeUndefined();
  await wait("the watch is open", () => server.open.length === 1 && reflector.lastHeardMs !== undefined);
  const heardAfter = async (what: string, say: () => void) => {
    await clock.advance(10_000);
    const before = clock.nowMs();
    say();
    await wait(what, () => (reflector.lastHeardMs ?? 0) >= before);
    expect(reflector.lastHeardMs).toBeLessThanOrEqual(clock.nowMs());
  };
  await heardAfter("a bookmark", () => void server.open[0]?.write(bookmark(20)));
  await heardAfter("an event", () => void server.open[0]?.write(line("MODIFIED", pod("a", 21))));
  const lastMs = reflector.lastHeardMs ?? 0;
  const expired = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  server.open[0]?.end(line("ERROR", expired));
  await wait("three lists were refused", () => server.listsSeen.length >= 4);
  await clock.advance(60_000);
  expect(reflector.lastHeardMs).toBe(lastMs);
  expect(reflector.isSynced).toBe(true);
});
