import { expect, test } from "vitest";
import { line, listOf, pod, watching } from "../fake/list-watch.ts";
import { names, setUp } from "../fake/reflect.ts";

const fat = (letters: number) => ({ fat: "x".repeat(letters) });
/** Watches that are quiet for minutes. */
const quiet = { silenceLimitMs: 1e9 };

test("objects return with the list after the next watch when their namespace has room again", async () => {
  const { server, reflector, clock, wait, errors } = await setUp(
    (s) => {
      s.lists = [
        listOf(10, pod("small", 1, fat(4000)), pod("large", 2, fat(8000))),
        listOf(20, pod("large", 2, fat(8000))),
      ];
      s.watches = [watching(line("DELETED", pod("small", 11, fat(4000)))), watching()];
    },
    { ...quiet, limits: { maxNamespaceBytes: 10_000 }, onLeftOut: () => undefined },
  );
  await wait("the event came", () => reflector.store.size === 0 && reflector.isSynced);
  expect(reflector.leftOut).toMatchObject([{ name: "large", reason: "NamespaceTooLarge" }]);
  await clock.advance(300_000);
  server.open[0]?.end();
  await wait("it is listed again", () => reflector.store.size === 1);
  expect([reflector.leftOut, errors]).toEqual([[], []]);
  expect(server.listsSeen).toHaveLength(2);
});

test("many namespaces together have a limit: the largest objects of the fullest go, and return when there is room", async () => {
  const of = (namespace: string, letters: number, version: number) => {
    const one = pod(`in-${namespace}`, version, fat(letters));
    return { ...one, metadata: { ...one.metadata, namespace } };
  };
  const { server, reflector, clock, wait, errors } = await setUp(
    (s) => {
      s.lists = [
        listOf(10, of("a", 80_000, 1), of("b", 90_000, 2), of("victim", 100, 3)),
        listOf(20, of("b", 90_000, 2)),
      ];
      s.watches = [
        watching(
          line("ADDED", of("c", 60_000, 11)),
          line("DELETED", of("a", 80_000, 12)),
          line("DELETED", of("c", 60_000, 13)),
        ),
        watching(),
      ];
    },
    { ...quiet, limits: { maxNamespaceBytes: 300_000, maxTotalBytes: 200_000 }, onLeftOut: () => undefined },
  );
  await wait("the events came", () => reflector.isSynced && reflector.store.size === 1);
  expect(names(reflector.store.list())).toEqual(["in-victim"]);
  expect(reflector.leftOut).toMatchObject([
    {
      namespace: "b",
      reason: "NamespaceTooLarge",
      message: expect.stringContaining("and all objects may take 200000") as string,
    },
  ]);
  await clock.advance(300_000);
  server.open[0]?.end();
  await wait("it is listed again", () => names(reflector.store.list()).includes("in-b"));
  expect([reflector.leftOut, errors]).toEqual([[], []]);
});

test("an event whose object has no name in its first bytes is followed by a list, once, and the watch goes on", async () => {
  const unnamed = {
    metadata: { annotations: fat(60_000), name: "a", namespace: "ns", resourceVersion: "11" },
  };
  const { server, reflector, clock, wait, changes, errors } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("a", 1), pod("b", 2)), listOf(20, pod("b", 2), pod("c", 12))];
      s.watches = [watching(line("MODIFIED", unnamed), line("ADDED", pod("c", 12))), watching()];
    },
    { ...quiet, limits: { maxItemBytes: 50_000 }, onLeftOut: () => undefined },
  );
  await wait("c came", () => changes.includes("added c@12"));
  expect(reflector.leftOut).toMatchObject([{ name: undefined, reason: "ObjectTooLarge" }]);
  expect(names(reflector.store.list())).toEqual(["a", "b", "c"]);
  await clock.advance(300_000);
  server.open[0]?.end();
  await wait("it is listed again", () => changes.some((change) => change.startsWith("deleted a")));
  expect(names(reflector.store.list())).toEqual(["b", "c"]);
  expect([reflector.leftOut, errors]).toEqual([[], []]);
  expect(server.listsSeen).toHaveLength(2);
});

test("a name that an object only pretends to have takes no other object out", async () => {
  const spoof = {
    metadata: { annotations: { name: "a", text: '"name":"a"' }, labels: fat(60_000), namespace: "ns" },
  };
  const { reflector, wait, changes } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("a", 1))];
      s.watches = [watching(line("MODIFIED", spoof), line("ADDED", pod("c", 12)))];
    },
    { limits: { maxItemBytes: 50_000 }, onLeftOut: () => undefined },
  );
  await wait("c came", () => changes.includes("added c@12"));
  expect(changes).toEqual(["added a@1", "added c@12"]);
  expect(reflector.leftOut).toMatchObject([{ name: undefined }]);
});
