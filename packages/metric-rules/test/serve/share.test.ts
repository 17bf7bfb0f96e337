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
    { requestsPerNamespace: 6, requests: 8 },
  );
  const controller = new AbortController();
  const ask = async (namespace: string, query: string) =>
    await run({
      rule: rule(namespace, query),
      timeoutMs: 1,
      maxSeries: 1,
      maxResponseBytes: 4_194_304,
      signal: () => controller.signal,
    });
  const names = () => running.map(({ name }) => name);
  return { ask, running, names, cached, controller };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a cached result waits for nothing", async () => {
  const { ask, names, cached } = setUp();
  for (let at = 0; at < 6; at += 1) void ask("slow", `q${at}`);
  await settled();
  expect(names()).toHaveLength(6);
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

test("a request that ends leaves its place to the next one", async () => {
  const { ask, running, names } = setUp();
  const all = Array.from({ length: 6 }, (_, at) => ask("slow", `q${at}`));
  const ended = Promise.allSettled(all);
  await settled();
  running[0]?.end();
  running[1]?.fail();
  await settled();
  void ask("slow", "next");
  await settled();
  expect(names().at(-1)).toBe("slow/next");
  for (const one of running) one.end();
  expect((await ended).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
});
