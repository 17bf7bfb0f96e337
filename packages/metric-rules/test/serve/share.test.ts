import { expect, test } from "vitest";
import type { CompiledRule } from "../../src/compile/compiled.ts";
import type { Ran } from "../../src/serve/outcome.ts";
import { shareQueries } from "../../src/serve/share.ts";

const rule = (namespace: string, query: string): CompiledRule => ({
  namespace,
  name: query,
  metric: query,
  source: "default",
  query,
  namespaceLabel: "namespace",
  windowSeconds: undefined,
  object: undefined,
});

const ran: Ran = {
  ok: true,
  result: { type: "scalar", value: 1, atMs: 0, warnings: [], infos: [] },
  freshness: { isFresh: () => true, reused: () => {} },
};

function setUp() {
  const running: { readonly name: string; readonly end: () => void; readonly fail: () => void }[] = [];
  const cached = new Set<string>();
  const run = shareQueries(
    {
      cached: ({ query }) => (cached.has(query) ? ran : undefined),
      run: ({ rule: { namespace, query } }) =>
        new Promise((resolve, reject) => {
          const end = () => resolve(ran);
          running.push({ name: `${namespace}/${query}`, end, fail: () => reject(new Error("refused")) });
        }),
    },
    { queriesPerNamespace: 2, requestsPerNamespace: 6, requests: 8 },
  );
  const controller = new AbortController();
  const ask = async (namespace: string, query: string) =>
    await run({ rule: rule(namespace, query), timeoutMs: 1, maxSeries: 1, signal: () => controller.signal });
  const names = () => running.map(({ name }) => name);
  return { ask, running, names, cached, controller };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("few queries of a namespace run at a time, and another namespace does not wait for them", async () => {
  const { ask, running, names } = setUp();
  const all = ["a", "b", "c", "d"].map((query) => ask("slow", query));
  all.push(ask("victim", "v"));
  const ended = Promise.allSettled(all);
  await settled();
  expect(names()).toEqual(["slow/a", "slow/b", "victim/v"]);
  running[0]?.end();
  await settled();
  expect(names()).toEqual(["slow/a", "slow/b", "victim/v", "slow/c"]);
  running[1]?.fail();
  await settled();
  expect(names().at(-1)).toBe("slow/d");
  for (const one of running) one.end();
  const results = await ended;
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
});

test("requests for a query that runs join it and take no place; a cached result waits for nothing", async () => {
  const { ask, names, cached } = setUp();
  void ask("slow", "a");
  void ask("slow", "a");
  void ask("slow", "b");
  await settled();
  expect(names()).toEqual(["slow/a", "slow/a", "slow/b"]);
  cached.add("c");
  expect(await ask("slow", "c")).toBe(ran);
});

test("a namespace that asks for too much is refused, and others get their first requests in", async () => {
  const { ask, names } = setUp();
  for (let at = 0; at < 6; at += 1) void ask("slow", `q${at}`);
  await expect(ask("slow", "more")).resolves.toMatchObject({
    ok: false,
    failure: { code: "Unavailable", retryAfterSeconds: 1 },
  });
  for (let at = 0; at < 4; at += 1) void ask("victim", "v");
  await settled();
  expect(names().filter((name) => name === "victim/v")).toHaveLength(4);
  await expect(ask("victim", "v")).resolves.toMatchObject({ ok: false });
});

test("a request that ends while it waits leaves its place in the line", async () => {
  const { ask, running, names, controller } = setUp();
  void ask("slow", "a");
  void ask("slow", "b");
  const waits = ask("slow", "c");
  await settled();
  controller.abort(new Error("gone"));
  await expect(waits).rejects.toThrow("gone");
  running[0]?.end();
  await settled();
  expect(names()).toEqual(["slow/a", "slow/b"]);
});

test("requests that follow each other for one query keep its place from none that waits", async () => {
  const { ask, running, names } = setUp();
  void ask("slow", "a");
  void ask("slow", "b");
  void ask("slow", "waits");
  for (let at = 0; at < 2; at += 1) {
    void ask("slow", "a");
    await settled();
    running.find(({ name }) => name === "slow/a")?.end();
    await settled();
    running.splice(
      running.findIndex(({ name }) => name === "slow/a"),
      1,
    );
  }
  expect(names()).toEqual(["slow/b", "slow/waits"]);
});
