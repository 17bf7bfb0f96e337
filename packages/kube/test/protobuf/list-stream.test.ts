import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ProtobufError, podReader, type ReadNames, readPage, splitList } from "../../src/protobuf/index.ts";
import {
  type Field,
  varint,
  writeEnvelope,
  writeList,
  writeMessage,
  writePod,
} from "../../src/protobuf/testing/index.ts";

const list = { apiVersion: "v1", kind: "PodList" };

function podOf(name: string, letters = 0): Readonly<Record<string, unknown>> {
  return {
    metadata: {
      name,
      namespace: "ns",
      uid: `uid-${name}`,
      resourceVersion: "7",
      labels: { app: "x" },
      annotations: { fat: "x".repeat(letters) },
    },
    spec: { containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

const listBytes = (pods: readonly Readonly<Record<string, unknown>>[], token = "") =>
  writeEnvelope(list, writeList(pods.map(writePod), "9", token));

/** `sizes`: of the chunks, over and over. */
function split(bytes: Buffer, sizes: readonly number[], maxItemBytes = 1e6) {
  const items: unknown[] = [];
  const oversized: (ReadNames & { readonly bytes: number })[] = [];
  let itemBytes = 0;
  const splitter = splitList(podReader, {
    maxItemBytes,
    onItem(item, size) {
      items.push(item);
      itemBytes += size;
    },
    onOversized: (names, size) => oversized.push({ ...names, bytes: size }),
  });
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    splitter.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return { rest: splitter.end(), items, oversized, itemBytes };
}

const chunkSizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });

test("a list in chunks is the same as in one piece", () => {
  const pods = fc.array(fc.tuple(fc.string({ maxLength: 5 }), fc.integer({ min: 0, max: 500 })), {
    maxLength: 10,
  });
  assertProperty(
    fc.property(pods, chunkSizes, fc.string(), (drawn, sizes, token) => {
      const bytes = listBytes(
        drawn.map(([name, letters]) => podOf(name, letters)),
        token,
      );
      const { items, ...page } = readPage(bytes, podReader);
      const found = split(bytes, sizes);
      expect([found.items, found.rest, found.oversized]).toEqual([items, page, []]);
      expect(found.itemBytes).toBeLessThan(bytes.length);
    }),
    { numRuns: 2000 },
  );
});

test("an item above the limit is named and passed over, wherever it is", () => {
  for (const place of [0, 1, 2]) {
    const pods = ["a", "b", "c"].map((name, at) => podOf(name, at === place ? 20_000 : 10));
    for (const sizes of [[1], [999], [100_000]]) {
      const { items, oversized, rest } = split(listBytes(pods, "more"), sizes, 10_000);
      expect(items).toMatchObject(
        ["a", "b", "c"].filter((_, at) => at !== place).map((name) => ({ metadata: { name } })),
      );
      expect(oversized).toEqual([
        { name: "abc"[place], namespace: "ns", resourceVersion: "7", bytes: expect.any(Number) },
      ]);
      expect(oversized[0]?.bytes).toBeGreaterThan(20_000);
      expect(rest.metadata).toEqual({ resourceVersion: "9", continue: "more" });
    }
  }
});

test("an item whose beginning does not show its name is passed over without one", () => {
  const unnamed: Field = [2, [[1, [[12, Buffer.alloc(20_000)]]]]];
  const named: Field = [2, writePod(podOf("a"))];
  const { items, oversized } = split(writeEnvelope(list, [unnamed, named]), [700], 10_000);
  expect(items).toHaveLength(1);
  expect(oversized).toMatchObject([{ name: undefined, namespace: undefined }]);
});

test("fields that are unknown are passed over, however long they are", () => {
  const fields: readonly Field[] = [
    [9, Buffer.alloc(50_000)],
    [8, 7],
    [2, writePod(podOf("a"))],
    [9, "x"],
  ];
  expect(split(writeEnvelope(list, fields), [1000]).items).toHaveLength(1);
});

test.each<[string, Buffer, string]>([
  ["no bytes", Buffer.alloc(0), "the list ends early"],
  ["JSON", Buffer.from('{"kind":"PodList"}'), "it does not begin with k8s\\0"],
  ["an envelope without an object", Buffer.from("k8s\0"), "the list ends early"],
  [
    "an object of another kind",
    writeEnvelope({ apiVersion: "v1", kind: "NodeList" }, []),
    '"v1 NodeList" in place of "v1 PodList"',
  ],
  [
    "an encoding inside the envelope",
    Buffer.concat([Buffer.from("k8s\0"), writeMessage([[3, "gzip"]])]),
    "the object is encoded once more",
  ],
  [
    "an item beyond the end of the list",
    writeEnvelope(list, Buffer.from([0x12, 0x7f])),
    "a field is longer than its message",
  ],
  [
    "a length of 2^63",
    writeEnvelope(list, Buffer.concat([Buffer.from([0x12]), varint(2n ** 63n)])),
    "a field is longer than its message",
  ],
  ["metadata of the list without end", writeEnvelope(list, [[1, Buffer.alloc(2_000_000)]]), "1048576 bytes"],
  ["a number without an end", writeEnvelope(list, Buffer.alloc(12, 0xff)), "a number is too long"],
])("refuses %s", (_, bytes, problem) => {
  for (const sizes of [[1], [64_000]]) expect(() => split(bytes, sizes)).toThrow(problem);
});

test("bytes that were changed or cut off are read or refused, and end either way", () => {
  const bytes = listBytes([podOf("a"), podOf("b", 300)], "more");
  assertProperty(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), chunkSizes, (at, byte, isCut, sizes) => {
      const changed = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
      if (!isCut) changed[at] = byte;
      const refused = refusalOf(() => split(changed, sizes));
      expect(refused === undefined || refused instanceof ProtobufError).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

function refusalOf(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error;
  }
}
