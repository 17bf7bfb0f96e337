import {
  createReflector,
  type KubeObject,
  type LeftOut,
  type Reflector,
  type ReflectorOptions,
} from "@plimsoll/kube";
import { metadataReader, podReader } from "@plimsoll/kube/protobuf";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { clientFor } from "../fake/client-for.ts";
import { type PagingServer, startPagingServer } from "../fake/paging-server.ts";
import { names } from "../fake/reflect.ts";

const kib = 1024;

/** Pages of 100 KiB, objects of 50 KiB on the wire. */
const limits = { maxPageBytes: 100 * kib, maxItemBytes: 50 * kib };

function object(name: string, letters = 0, more: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const annotations = letters === 0 ? {} : { annotations: { fat: "x".repeat(letters) } };
  return {
    metadata: { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "5", ...more, ...annotations },
  };
}

const objects = (count: number, letters = 0, prefix = "o") =>
  Array.from({ length: count }, (_, i) => object(`${prefix}${String(i).padStart(4, "0")}`, letters));

/** What is kept when annotations are not. */
function trimmed({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
    },
  };
}

interface Setup {
  readonly reflector: Reflector<KubeObject>;
  readonly leftOut: LeftOut[];
  readonly changes: string[];
  readonly errors: unknown[];
}

async function reflect(
  server: PagingServer,
  options: Partial<ReflectorOptions<KubeObject>> = {},
): Promise<Setup> {
  const leftOut: LeftOut[] = [];
  const changes: string[] = [];
  const errors: unknown[] = [];
  const reflector = createReflector<KubeObject>({
    client: await clientFor(server.url),
    path: "/api/v1/pods",
    project: trimmed,
    limits,
    random: () => 0,
    onError: (error) => errors.push(error),
    onLeftOut: (one) => leftOut.push(one),
    ...options,
  });
  reflector.subscribe(({ type, object: { metadata } }) => changes.push(`${type} ${metadata.name}`));
  onTestFinished(() => reflector.stop());
  reflector.start();
  await reflector.synced();
  await until("it watches", () => server.watches > 0);
  return { reflector, leftOut, changes, errors };
}

const named = (all: readonly LeftOut[]) => all.map(({ name, reason }) => `${name ?? "?"} ${reason}`);

test("520 objects of 560 kB are listed page by page, within a budget of bytes", async () => {
  const server = await startPagingServer(objects(520, 560_000));
  const { reflector, leftOut, errors } = await reflect(server, { limits: {} });
  expect(reflector.store.size).toBe(520);
  expect([leftOut, errors]).toEqual([[], []]);
  // The first page is given up after 16 MiB, of which 29 objects take nearly all.
  expect(server.pages.slice(0, 3)).toEqual(["500", "21", "21@21"]);
  expect(server.pages).toHaveLength(1 + Math.ceil(520 / 21));
  expect(server.sentBytes).toBeLessThan(520 * 561_000 + 24 * kib * kib);
});

test("a new list begins with the pages that worked, and takes longer ones where they do", async () => {
  const server = await startPagingServer(objects(60, 10_000));
  await reflect(server, { pageSize: 50 });
  const first = server.pages.splice(0);
  expect(first.slice(0, 3)).toEqual(["50", "4", "4@4"]);
  server.end(true);
  await until("it is listed again", () => server.watches === 2);
  expect(server.pages.splice(0)).toEqual(first.slice(1));
  server.objects = objects(60);
  server.end(true);
  await until("it is listed a third time", () => server.watches === 3);
  expect(server.pages).toEqual(["4", "8@4", "16@12", "32@28"]);
});

test.each([
  ["JSON", false],
  ["protobuf", true],
])("pages in %s shrink down to one object, and grow again behind large ones", async (_, isProtobuf) => {
  const server = await startPagingServer(
    [...objects(20, 0, "a"), ...objects(3, 45_000, "b"), ...objects(40, 0, "c")],
    { isProtobuf },
  );
  const { reflector, leftOut } = await reflect(server, { protobuf: podReader, pageSize: 64 });
  expect(reflector.store.size).toBe(63);
  expect(leftOut).toEqual([]);
  const sizes = server.pages.map((page) => Number(page.split("@")[0]));
  expect(sizes[0]).toBe(64);
  expect(Math.min(...sizes)).toBe(1);
  expect(sizes.at(-1)).toBeGreaterThan(1);
});

test("a server that ignores the limit is read through, however long its list is", async () => {
  const server = await startPagingServer(objects(60, 10_000), { ignoresLimit: true });
  const { reflector, errors } = await reflect(server, { pageSize: 50 });
  expect(reflector.store.size).toBe(60);
  expect(errors).toEqual([]);
  expect(server.pages).toEqual(["50", "4"]);
});

test("a token that expires while pages shrink begins a new list, with the pages that worked", async () => {
  const server = await startPagingServer(objects(60, 10_000), { expiring: 1 });
  const { reflector, errors } = await reflect(server, { pageSize: 50 });
  expect(errors).toMatchObject([{ code: 410 }]);
  expect(reflector.store.size).toBe(60);
  expect(server.pages.slice(0, 5)).toEqual(["50", "4", "4@4", "4", "4@4"]);
});

test.each([
  ["JSON", false],
  ["protobuf", true],
])(
  "an object above the limit is left out of a list in %s and named, wherever it is",
  async (_, isProtobuf) => {
    for (const place of [0, 3, 6]) {
      const all = objects(7).map((one, at) => (at === place ? object("fat", 60_000) : one));
      const server = await startPagingServer(all, { isProtobuf });
      const { reflector, leftOut, errors } = await reflect(server, { protobuf: metadataReader("v1", "Pod") });
      expect(names(reflector.store.list())).toEqual(names(all).filter((name) => name !== "fat"));
      expect(leftOut).toMatchObject([{ namespace: "ns", name: "fat", reason: "ObjectTooLarge" }]);
      expect(leftOut[0]?.bytes).toBeGreaterThan(60_000);
      expect(leftOut[0]?.message).toMatch(/^it takes 60\d{3} bytes, and an object may take 51200$/);
      expect(reflector.leftOut).toEqual(leftOut);
      expect(errors).toEqual([]);
    }
  },
);

test.each([
  ["JSON", false],
  ["protobuf", true],
])("an event in %s that is too large takes its object out, and the watch goes on", async (_, isProtobuf) => {
  const server = await startPagingServer(objects(2), { isProtobuf });
  const { reflector, leftOut, changes, errors } = await reflect(server, {
    protobuf: metadataReader("v1", "Pod"),
  });
  server.event("MODIFIED", object("o0000", 60_000, { resourceVersion: "11" }));
  server.event("ADDED", object("o0002", 60_000, { resourceVersion: "12" }));
  server.event("DELETED", object("o0001", 60_000, { resourceVersion: "13" }));
  server.event("ADDED", object("o0003", 10, { resourceVersion: "14" }));
  await until("the last event came", () => changes.includes("added o0003"));
  expect(changes.slice(2)).toEqual(["deleted o0000", "deleted o0001", "added o0003"]);
  expect(named(leftOut)).toEqual(["o0000 ObjectTooLarge", "o0002 ObjectTooLarge"]);
  server.event("MODIFIED", object("o0000", 10, { resourceVersion: "15" }));
  server.event("DELETED", object("o0002", 60_000, { resourceVersion: "16" }));
  server.event("ADDED", object("o0004", 0, { resourceVersion: "17" }));
  await until("the last event came", () => changes.includes("added o0004"));
  expect(names(reflector.store.list())).toEqual(["o0000", "o0003", "o0004"]);
  expect(reflector.leftOut).toEqual([]);
  expect([server.lists, server.watches, errors]).toEqual([1, 1, []]);
});

test("an object that cannot be trimmed is left out and named, in lists and watches, and returns with a version that can be", async () => {
  const project = (raw: KubeObject) => {
    if (raw.metadata.labels?.["bad"] !== undefined) throw new Error(`cannot trim ${"x".repeat(1000)}`);
    return raw;
  };
  const bad = { labels: { bad: "1" } };
  const server = await startPagingServer([object("a"), object("b", 0, bad), object("c")]);
  const { reflector, leftOut, changes, errors } = await reflect(server, { project });
  expect(changes).toEqual(["added a", "added c"]);
  expect(leftOut).toMatchObject([{ namespace: "ns", name: "b", reason: "Unreadable" }]);
  expect(leftOut[0]?.message).toMatch(/^cannot trim x+…$/);
  expect(leftOut[0]?.message.length).toBeLessThan(220);
  server.event("MODIFIED", object("a", 0, { ...bad, resourceVersion: "11" }));
  server.event("MODIFIED", object("a", 0, { ...bad, resourceVersion: "12" }));
  server.event("MODIFIED", object("b", 0, { resourceVersion: "13" }));
  await until("b returned", () => changes.includes("added b"));
  expect(changes.slice(2)).toEqual(["deleted a", "added b"]);
  // Once for each reason.
  expect(named(leftOut)).toEqual(["b Unreadable", "a Unreadable"]);
  expect(named(reflector.leftOut)).toEqual(["a Unreadable"]);
  expect(errors).toEqual([]);
});

test("items that are no objects hide no others", async () => {
  const broken = [null, 1, {}, { metadata: null }] as unknown as KubeObject[];
  const server = await startPagingServer([object("a"), ...broken, object("b")]);
  const { reflector, leftOut } = await reflect(server);
  expect(names(reflector.store.list())).toEqual(["a", "b"]);
  expect(named(leftOut)).toEqual(["? Unreadable"]);
});

test("an object that takes too much when it is trimmed is left out, in lists and watches", async () => {
  const fat = { labels: { fat: "x".repeat(3000) } };
  const server = await startPagingServer([object("a"), object("b", 0, fat)]);
  const { reflector, leftOut, changes } = await reflect(server, { limits: { maxObjectBytes: 2000 } });
  server.event("MODIFIED", object("a", 0, { ...fat, resourceVersion: "11" }));
  server.event("ADDED", object("c", 0, { resourceVersion: "12" }));
  await until("c came", () => changes.includes("added c"));
  expect(names(reflector.store.list())).toEqual(["c"]);
  expect(named(leftOut)).toEqual(["b ObjectTooLarge", "a ObjectTooLarge"]);
});

/** An object that takes about so much. */
const sized = (name: string, letters: number, more: Partial<KubeObject["metadata"]> = {}) =>
  object(name, 0, { labels: { fat: "x".repeat(letters) }, ...more });

test("the largest objects of a namespace are left out when it takes too much; all others stay", async () => {
  const small = (name: string) => sized(name, 500);
  const server = await startPagingServer([
    sized("big1", 4000),
    small("s1"),
    sized("big2", 5000),
    small("s2"),
    sized("other", 9000, { namespace: "other" }),
  ]);
  const { reflector, leftOut, changes } = await reflect(server, { limits: { maxNamespaceBytes: 10_000 } });
  expect(names(reflector.store.list())).toEqual(["big1", "other", "s1", "s2"]);
  expect(named(leftOut)).toEqual(["big2 NamespaceTooLarge"]);
  server.event("ADDED", sized("big3", 4500, { resourceVersion: "11" }));
  server.event("ADDED", sized("s3", 500, { resourceVersion: "12" }));
  await until("s3 came", () => changes.includes("added s3"));
  expect(names(reflector.store.list())).toEqual(["big1", "other", "s1", "s2", "s3"]);
  server.event("ADDED", sized("mid", 3000, { resourceVersion: "13" }));
  await until("mid came", () => changes.includes("added mid"));
  expect(changes.slice(-2)).toEqual(["deleted big1", "added mid"]);
  expect(named(reflector.leftOut)).toEqual([
    "big2 NamespaceTooLarge",
    "big3 NamespaceTooLarge",
    "big1 NamespaceTooLarge",
  ]);
  expect(reflector.leftOut.every(({ namespace }) => namespace === "ns")).toBe(true);
});
